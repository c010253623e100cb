// Closures and higher-order functions.
const compose =
  (...functions) =>
  (value) =>
    functions.reduce((result, apply) => apply(result), value);
const adder = (by) => (value) => value + by;
const scaler = (by) => (value) => (value * by) % 10_007;

function counter() {
  let count = 0;
  return { next: () => ++count, read: () => count };
}

export function kernel() {
  const pipeline = compose(adder(3), scaler(7), adder(-1), scaler(3));
  const numbers = Array.from({ length: 10_000 }, (_, i) => i);
  const ticks = counter();
  const sum = numbers
    .map(pipeline)
    .filter((value) => {
      ticks.next();
      return value % 3 !== 0;
    })
    .reduce((total, value) => total + value, 0);
  let calls = 0;
  numbers.forEach((value) => {
    if (numbers.length > value) calls += value & 1;
  });
  return sum + ticks.read() + calls + (numbers.some((value) => value > 9_990) ? 1 : 0);
}
