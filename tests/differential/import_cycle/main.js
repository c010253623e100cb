// Function declarations can be called before their module is evaluated: modules that import each other.
console.log('main body', typeof a.fa, a.fa());
import * as a from './a.js';
import { fb } from './b.js';
export function fmain() { return 'main hoisted'; }
export var v = 1;
export let l = 2;
console.log(fb());
export function* generator() {
  yield 1;
  yield a.fa();
}
export async function waits() {
  return 'waited';
}
export default function () {
  return 'default';
}
