import { fb } from './b.js';
import { fmain, v } from './main.js';
console.log('a body', fmain(), v, fb());
export function fa() { return 'fa'; }
