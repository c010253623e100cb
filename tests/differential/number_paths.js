// Every operator on ints, doubles and other values, through the paths that compiled code takes for known and unknown types.
const show = (v) => (typeof v === "bigint" ? `${v}n` : Object.is(v, -0) ? "-0" : typeof v === "string" ? `'${v}'` : String(v));
const values = [0, -0, 1, -1, 2, 7, -7, 2147483647, -2147483648, 2147483648, 4294967295, 4294967296, 0.5, -0.5, 1.5, NaN, Infinity, -Infinity, 9007199254740991, 9007199254740992, 1e19, 1e300, 5e-324, undefined, null, true, false, "", "5", "abc", 10n, -3n, 0n];
const unknown = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "%": (a, b) => a % b, "&": (a, b) => a & b, "|": (a, b) => a | b, "^": (a, b) => a ^ b, "<<": (a, b) => a << b, ">>": (a, b) => a >> b, ">>>": (a, b) => a >>> b, "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b, "===": (a, b) => a === b, "==": (a, b) => a == b, "!=": (a, b) => a != b };
const attempt = (f, a, b) => { try { return show(f(a, b)); } catch (error) { return error.name; } };
for (const [name, f] of Object.entries(unknown)) for (const a of values) console.log(name, show(a), values.map((b) => attempt(f, a, b)).join(" "));

const constants = [(a) => a + 1, (a) => a - 1, (a) => 1 - a, (a) => a * 2, (a) => a * -1, (a) => a % 2, (a) => 7 % a, (a) => a / 2, (a) => a & 255, (a) => a | 0, (a) => a >>> 0, (a) => a << 31, (a) => a < 2, (a) => 2 <= a, (a) => a === 0, (a) => a !== 2147483648, (a) => -a, (a) => ~a, (a) => +a, (a) => !a, (a) => a + "x", (a) => a++, (a) => --a];
for (const f of constants) console.log(values.map((a) => attempt(f, a)).join(" "));

for (const a of values.filter((v) => typeof v !== "bigint")) {
  const i = a | 0, d = a * 1.5, u = a >>> 0, b = a === 1;
  console.log([i + d, d - i, i * u, u % i, i % u, d / i, u & d, i ^ u, d << i, u >>> i, i < d, u >= i, d === i, b + i, -i, -u, ~d, i + u, i * i, -d % 3, b | d].map(show).join(" "));
}

let sum = 0, product = 1, down = 10, mixed = 0;
for (let i = 0; i < 70; i++) {
  sum += i * 1000003; product *= 3; down -= 3; mixed = (mixed * 31 + (i % 3 === 0 ? i : i * 0.5)) | 0;
  if (i % 23 === 0) console.log(sum, product, down, mixed, down % 4, -down, i & 5, i ** 2);
}
let counter = 2147483640; for (let i = 0; i < 20; i++) counter++; console.log(counter);

for (const f of [Math.floor, Math.ceil, Math.trunc, Math.abs, Math.sqrt]) console.log(values.map((a) => attempt(f, a)).join(" "));
for (let k = 0; k < 2; k++) for (const a of values) if (typeof a !== "bigint") console.log([Math.floor(a), Math.ceil(a), Math.trunc(a), Math.abs(a), Math.sqrt(a), Math.min(a, 1), Math.max(a, -0), Math.imul(a, 3), Array.isArray(a)].map(show).join(" "));

const kinds = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array];
for (const Kind of kinds) {
  const array = new Kind(4), line = [];
  for (const v of values) if (typeof v !== "bigint") { for (let i = 0; i < 5; i++) array[i] = v; line.push(array[1], array[4], array[-1], array.length); }
  console.log(Kind.name, line.map(show).join(" "));
}
const floats = new Float64Array(3), clamped = new Uint8ClampedArray(3);
for (let i = 0; i < 5; i++) { floats[i] = i * 1.25; clamped[i] = i * 99.5; console.log(floats[i], clamped[i]); floats[i] = "3"; console.log(floats[i], floats[i] + 1); }
