console.log('a');
Promise.resolve().then(() => console.log('a micro'));
await 1;
console.log('a after 1');
await 2;
console.log('a after 2');
