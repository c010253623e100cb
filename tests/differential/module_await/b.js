import './c.js';
console.log('b');
await 1;
console.log('b after');
