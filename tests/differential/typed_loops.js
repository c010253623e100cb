// Loops over typed arrays, which exist in two versions, attacked where the fast one assumes something.
const floats = new Float64Array(8);
const singles = new Float32Array(8);
const bytes = new Uint8Array(8);
const clamped = new Uint8ClampedArray(8);
const shorts = new Int16Array(8);
const words = new Uint32Array(8);
const ints = new Int32Array(8);
let changing = new Float64Array(4);
const empty = new Float64Array(0);
for (let i = 0; i < floats.length; i++) {
  floats[i] = i * 1.5 - 3;
  singles[i] = i / 3;
  bytes[i] = i * 100 - 50;
  clamped[i] = i * 100 - 50.5;
  shorts[i] = i * 30_000;
  words[i] = -i;
  ints[i] = i * 1e9;
}
const show = (...arrays) => arrays.map((array) => Array.from(array).join()).join(" | ");
console.log(show(floats, singles, bytes, clamped, shorts, words, ints));

function sum() {
  let total = 0;
  for (let i = 0; i < floats.length; i++) total += floats[i] * 2 + singles[i] + bytes[i] - shorts[i] + words[i] + ints[i];
  return total;
}
console.log(sum());

// Beyond the ends: undefined, which arithmetic takes for NaN and nothing else does.
function beyond() {
  const seen = [];
  for (let i = -2; i < 10; i++) seen.push(floats[i], typeof bytes[i]);
  return seen.join();
}
function beyondInNumbers() {
  let bits = 0;
  let total = 0;
  for (let i = -2; i < 10; i++) {
    bits |= floats[i];
    bits = bits * 3 + (floats[i] | 0);
    if (floats[i] < 1) total += 1;
    if (!(floats[i] >= 1)) total += 10;
  }
  return [bits, total].join();
}
function beyondInText() {
  let text = "";
  for (let i = 7; i < 10; i++) text = text + floats[i] + ";";
  return text;
}
function beyondOut() {
  let last;
  for (let i = 0; i < 9; i++) last = floats[i];
  return String(last);
}
function maximum(count) {
  let best = -Infinity;
  for (let i = 0; i < count; i++) if (floats[i] > best) best = floats[i];
  return best;
}
function equal() {
  let same = 0;
  for (let i = 0; i < 10; i++) if (floats[i] === undefined) same++;
  for (let i = 0; i < 10; i++) if (floats[i] == null) same += 10;
  return same;
}
console.log(beyond());
console.log(beyondInNumbers(), beyondInText(), beyondOut(), maximum(8), maximum(12), equal());

function storeBeyond(count) {
  for (let i = -3; i < count; i++) {
    floats[i] = i;
    bytes[i] = i * 100;
    words[i] = i;
    clamped[i] = i * 60;
    singles[i] = i / 7;
    ints[i] = i * 3e9;
  }
  return Object.keys(floats).length;
}
console.log(storeBeyond(20), show(floats, singles, bytes, clamped, shorts, words, ints));

// NaNs with a payload, written through another view.
function payloads() {
  const view = new DataView(floats.buffer);
  for (let i = 0; i < 8; i++) view.setBigUint64(8 * i, 0xfff9_0000_0000_0001n + BigInt(i) * 0x0001_0000_0000_0000n, true);
  let total = 0;
  const seen = [];
  for (let i = 0; i < floats.length; i++) {
    total += floats[i];
    seen.push(floats[i]);
  }
  let copy = 0;
  for (let i = 0; i < floats.length; i++) copy = floats[i] * 1;
  return [total, copy, ...seen].map(String).join();
}
console.log(payloads());
for (let i = 0; i < floats.length; i++) floats[i] = i;

// What is stored is no number.
function storeOthers(values) {
  let log = "";
  for (let i = 0; i < values.length; i++) {
    try {
      floats[i] = values[i];
      log += floats[i] + ";";
    } catch (error) {
      log += error.name + ";";
    }
  }
  return log;
}
console.log(storeOthers([true, "7", null, undefined, { valueOf: () => 9 }, [3]]));
console.log(storeOthers([1n, Symbol("s"), 5]));

// User code in the loop replaces the array, its length, or its buffer.
const sneaky = {
  calls: 0,
  valueOf() {
    this.calls++;
    if (this.calls === 2) changing = new Float64Array([10, 20, 30, 40, 50, 60]);
    return 1;
  },
};
function replaced() {
  let total = 0;
  for (let i = 0; i < changing.length; i++) {
    total += changing[i] + sneaky;
    changing[i] = total;
  }
  return total + ":" + changing.length;
}
console.log(replaced(), sneaky.calls);

let detachable = new Float64Array([1, 2, 3, 4]);
function detached(at) {
  const local = new Float64Array([1, 2, 3, 4]);
  const seen = [];
  for (let i = 0; i < 4; i++) {
    if (i === at) local.buffer.transfer();
    local[i] = local[i] * 2;
    seen.push(local[i], local.length);
  }
  return seen.join();
}
console.log(detached(9), detached(2), detached(0));

function resizable() {
  const buffer = new ArrayBuffer(16, { maxByteLength: 64 });
  const tracking = new Float64Array(buffer);
  const seen = [];
  for (let i = 0; i < 4; i++) {
    tracking[i] = i + 1;
    seen.push(tracking[i], tracking.length);
    if (i === 1) buffer.resize(32);
  }
  return seen.join();
}
console.log(resizable());

function emptyLoop() {
  let total = 0;
  for (let i = 0; i < empty.length + 2; i++) total += empty[i];
  return String(total);
}
console.log(emptyLoop());

// Nested loops, several exits, labels, and values that live on.
function matrix(size) {
  const a = new Float64Array(size * size);
  const b = new Float64Array(size * size);
  const c = new Float64Array(size * size);
  for (let i = 0; i < size * size; i++) {
    a[i] = i;
    b[i] = i % 3;
  }
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      let cell = 0;
      for (let k = 0; k < size; k++) cell += a[y * size + k] * b[k * size + x];
      c[y * size + x] = cell;
    }
  }
  return show(c);
}
console.log(matrix(4));
function search(limit) {
  let found = -1;
  outer: for (let i = 0; i < floats.length; i++) {
    for (let j = 0; j < floats.length; j++) {
      if (floats[i] + floats[j] > limit) {
        found = i * 100 + j;
        break outer;
      }
      if (floats[j] > floats[i]) continue outer;
    }
  }
  return found;
}
for (let i = 0; i < floats.length; i++) floats[i] = i * i;
console.log(search(20), search(50), search(1000));
function histogram(text) {
  const counts = new Uint32Array(256);
  for (let i = 0; i < text.length; i++) counts[text.charCodeAt(i)]++;
  let out = "";
  for (let i = 0; i < counts.length; i++) if (counts[i] > 0) out += String.fromCharCode(i) + counts[i];
  return out;
}
console.log(histogram("hello typed world"));
function sieve(limit) {
  const composite = new Uint8Array(limit + 1);
  const primes = [];
  for (let i = 2; i <= limit; i++) {
    if (composite[i]) continue;
    primes.push(i);
    for (let j = i * i; j <= limit; j += i) composite[j] = 1;
  }
  return primes.join();
}
console.log(sieve(60));

// The name says typed array, the value does not.
{
  const Float64Array = Array;
  const fake = new Float64Array("a", "b", "c");
  let text = "";
  for (let i = 0; i < fake.length; i++) text += fake[i];
  console.log(text);
}
const parameterSum = (array, from) => {
  let total = from;
  for (let i = 0; i < array.length; i++) total += array[i];
  return total;
};
console.log(parameterSum(ints, 0), parameterSum(["x", 1], "s"), parameterSum(new Float64Array([0.5, 0.25]), 1n === 1 ? 0 : 2));

// The getter `length` is patched.
Object.defineProperty(floats, "length", { get: () => 3, configurable: true });
function patched() {
  let total = 0;
  for (let i = 0; i < floats.length; i++) total += floats[i];
  return total;
}
console.log(patched());
delete floats.length;
// Printing needs the real lengths, so it waits for them.
const sums = [patched()];
const prototype = Object.getPrototypeOf(Float64Array.prototype);
const original = Object.getOwnPropertyDescriptor(prototype, "length");
Object.defineProperty(Float64Array.prototype, "length", { value: 2, configurable: true, writable: true });
sums.push(patched());
delete Float64Array.prototype.length;
Object.defineProperty(prototype, "length", { get: () => 5, configurable: true });
sums.push(patched());
Object.defineProperty(prototype, "length", original);
sums.push(patched());
console.log(sums.join());

// Before it is initialised.
function early() {
  let total = 0;
  for (let i = 0; i < late.length; i++) total += late[i];
  return total;
}
try {
  console.log(early());
} catch (error) {
  console.log(error.name);
}
const late = new Float64Array([1, 2]);
console.log(early());
