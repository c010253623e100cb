// A module with a top-level await lets its siblings run; those that need it wait.
import './a.js';
import './b.js';
import './d.js';
import { fromE } from './e.js';
import { late } from './f.js';
import './c.js';
console.log('main');
await null;
console.log('main after');
console.log(fromE, late());
import('./g.js').then((g) => console.log(g.fromG));
