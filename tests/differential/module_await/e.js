// Within a cycle, one of whose members waits.
import { fromF } from './f.js';
console.log('e', fromF);
await null;
console.log('e after');
export const fromE = 'value of e';
