// Array iteration that the program has replaced is called wherever arrays are iterated.
try {
  null[{ toString() { console.log("never called"); } }] += 1;
} catch (error) {
  console.log(error.name);
}
Array.prototype[Symbol.iterator] = function* () {
  yield this[0];
  yield 42;
};
const collect = ([first, second, third]) => [first, second, third];
const result = collect([1, 2, 3]);
console.log(result[0], result[1], result[2]);
console.log(...[7, 8, 9]);
for (const item of [5, 6, 7]) console.log(item);
const [, ...rest] = [1, 2, 3];
console.log(rest.length, new Set([1, 2, 3]).has(42));
