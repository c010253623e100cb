console.log('d sync');
queueMicrotask(() => console.log('d micro'));
