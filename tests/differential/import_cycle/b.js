import { fa } from './a.js';
import { fmain, l } from './main.js';
console.log('b body', fa(), fmain());
try { l } catch (e) { console.log(e.name, e.message) }
export function fb() { return 'fb ' + fa(); }
export default class {}
import later, { generator, waits } from './main.js';
console.log([...generator()].join(), later.name, later(), waits.name);
waits().then((value) => console.log(value));
