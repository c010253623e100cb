await Promise.resolve().then(() => console.log('g waits'));
export const fromG = await new Promise((resolve) => queueMicrotask(() => resolve('value of g')));
console.log('g after');
