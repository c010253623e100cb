// Modules run one after the other, and microtasks when all have run.
import './a.js';
import { done } from './b.js';
import './c.js';
console.log('main');
Promise.resolve().then(() => console.log('main micro'));
queueMicrotask(() => console.log('main queued', done));
