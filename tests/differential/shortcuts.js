// Built-ins that take shortcuts while nobody changed what they rely on: what happens when somebody does.
const visited = (object) => {
  const keys = [];
  for (const key in object) keys.push(key);
  return keys.join();
};
const holes = [1, , 3];
holes.extra = 1;
console.log(visited([5, 6, 7]), visited(holes), visited([]), visited("ab"), visited(new Uint8Array(2)), visited(new (class extends Array {})(2)));
const shrinking = [1, 2, 3, 4];
const seen = [];
for (const key in shrinking) {
  seen.push(key);
  if (key === "1") shrinking.length = 2;
  if (key === "0") shrinking.push(9);
}
console.log(seen.join(), typeof seen[0]);
const deleting = [1, 2, 3];
for (const key in deleting) {
  delete deleting[1];
  seen.push(key);
}
console.log(seen.join());
const inheriting = Object.setPrototypeOf([1], { inherited: 1, 0: "hidden" });
console.log(visited(inheriting), visited(Object.freeze([1, 2])), visited(Object.defineProperty([1], 0, { enumerable: false })));
Array.prototype.enumerable = 1;
console.log(visited([1]));
delete Array.prototype.enumerable;
Object.prototype.late = 1;
console.log(visited([1]));
delete Object.prototype.late;
Array.prototype[1] = "element";
console.log(visited([1, , 3]), visited([1]));
delete Array.prototype[1];
console.log(visited([1]));

const all = function (...list) { return [this?.tag, new.target === undefined, ...list].join(); };
const bound = all.bind({ tag: "t" }, 1, 2, 3);
console.log(bound(), bound(4), bound(4, 5, 6), bound(4, 5, 6, 7, 8, 9, 10, 11), new bound(4).constructor === all);
console.log(Math.max.bind(null, 1, 5)(2, 9, 3, 4, 5, 6, 7), bound.bind(null, "x")("y"), bound.name, bound.length);

console.log("a,b,,c,".split(","), ",".split(","), "".split(","), "abc".split(","), "a,b,c".split(",", 2), "a,b".split(",", 0), "é€é".split("é"));
console.log("long part one|long part two|x".split("|"), "aXbXc".split("X", 1), "a,b".split(",", -1), "a\u0000b".split("\0"));

console.log([..."aé€👋\ud800b"], [...""], Math.max(..."123"), [..."ab", ..."cd"], [...new String("xy")]);
const iterator = "abc"[Symbol.iterator]();
iterator.next();
console.log([...iterator], [...iterator]);
const stringIterator = Object.getPrototypeOf(iterator);
const { next } = stringIterator;
stringIterator.next = function () {
  const result = next.call(this);
  return { done: result.done, value: result.value + "!" };
};
console.log([..."ab"]);
stringIterator.next = next;
const original = String.prototype[Symbol.iterator];
String.prototype[Symbol.iterator] = function* () { yield this.length; };
console.log([..."ab"]);
String.prototype[Symbol.iterator] = original;
console.log([..."ab"]);

for (const form of ["NFC", "NFD", "NFKC", "NFKD"]) console.log(JSON.stringify("caf\u00e9 \u00bd\u00aa\u00b5\u00a8 e\u0301\u00e9\u0301 \ufb01".normalize(form)), JSON.stringify("caf\u00e9 \u00bd\u00aa\u00b5\u00a8\u00c5".normalize(form)).length);

const frozen = Object.freeze({ fixed: 1 });
const lying = new Proxy(frozen, { get: () => 2 });
try { console.log(lying.fixed); } catch (error) { console.log(error.message); }
console.log(lying.other, new Proxy({ a: 1 }, { get: (target, key) => key }).a);
const handler = {};
const late = new Proxy({ a: 1 }, handler);
console.log(late.a);
Object.prototype.get = () => "inherited trap";
console.log(late.a);
delete Object.prototype.get;
handler.get = () => "own trap";
console.log(late.a);
Object.defineProperty(handler, "get", { get: () => () => "from a getter" });
console.log(late.a, new Proxy({ a: 3 }, Object.create({ get: () => "from a prototype" })).a, new Proxy({ a: 3 }, new Proxy({}, {})).a);

const floats = new Float64Array([NaN, -0, 1]);
const copied = new Float64Array(3);
copied.set(floats.subarray(1), 1);
copied.set(copied.subarray(0, 2), 1);
console.log(copied, new Float64Array(floats), new Uint8Array(new Uint8Array([1, 2]).subarray(1)), new Uint8ClampedArray(new Int16Array([300, -1])));
try { copied.set(floats, 1); } catch (error) { console.log(error.message); }
