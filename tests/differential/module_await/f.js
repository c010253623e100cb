import { fromE } from './e.js';
import { fromG } from './g.js';
console.log('f', fromG);
export const fromF = 'value of f';
export const late = () => fromE;
