console.log('c');
queueMicrotask(() => console.log('c micro'));
