// Operators: arithmetic, comparison, conversion, short circuits, evaluation order.
const log = [];
const say = (name, value) => (log.push(name), value);
console.log(1 + 2 * 3 - 4 / 8, 7 % 3, -7 % 3, 2 ** 10, (-2) ** 3, 1_000_000);
console.log(5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 31, -1 >> 1, -1 >>> 28, 1 << 33);
console.log("a" + 1, 1 + "a", "3" * "4", "10" - 1, +"0x1f", -"5", +true, +[], +null, +undefined);
console.log(1 < 2, "b" < "a", "10" < "9", 10 < "9", null >= 0, undefined == null, undefined == 0, NaN === NaN);
console.log(0 === -0, Object.is(0, -0), 1 / -0, "1" == 1, null == 0, [] == "", [1] == 1);
console.log(typeof 1, typeof "", typeof undefined, typeof null, typeof {}, typeof (() => 1), typeof 1n, typeof Symbol.iterator, typeof missing);
console.log(void 0, !0, !"", !!"x", !NaN);
console.log(0 || "or", 1 && "and", null ?? "nullish", 0 ?? "kept", false || null || "last");
console.log(say("a", 1) + say("b", 2) * say("c", 3), log.join());
log.length = 0;
const object = { get x() { log.push("get x"); return 1; }, set x(value) { log.push("set x " + value); } };
object.x += say("right", 5);
object[say("key", "x")] = say("value", 9);
console.log(log.join("; "));
log.length = 0;
let n = 1;
console.log(n + (n = 5) + n, n++ + n++, n-- - --n, n);
let m = 3;
m **= 2; m <<= 1; m -= 3; m |= 64; m %= 50; m >>>= 1; m ^= 1; m &= 0xff; m *= 2; m /= 4; m >>= 0;
console.log(m);
let a = null, b = 0, c = "set";
a ??= "filled"; b ||= "truthy"; c &&= "replaced";
console.log(a, b, c);
const keep = { a: 1, b: null };
keep.a ??= say("never", 2); keep.b ??= say("once", 3); keep["c"] ||= 4;
console.log(JSON.stringify(keep), log.join());
console.log("x" in { x: 1 }, 0 in [1], "y" in { x: 1 }, [] instanceof Array, {} instanceof Array);
const gone = { p: 1, q: 2 };
console.log(delete gone.p, delete gone["q"], delete gone.r, JSON.stringify(gone));
console.log((1, 2, 3), [1, 2, 3][(0, 1)]);
console.log({ valueOf: () => 42 } * 2, `${{ toString: () => "str" }}`, { [Symbol.toPrimitive]: (hint) => hint } + "", +{ [Symbol.toPrimitive]: () => 7 });
try { null.x; } catch (error) { console.log(error.name, error.message); }
try { undefined.foo(); } catch (error) { console.log(error.message); }
try { const o = {}; o.f(); } catch (error) { console.log(error.message); }
try { const o = { p: {} }; o.p.q(1); } catch (error) { console.log(error.message); }
try { let f = 5; f(); } catch (error) { console.log(error.message); }
try { new (class { constructor() { this.x.y; } })(); } catch (error) { console.log(error.message); }
try { Symbol() + 1; } catch (error) { console.log(error.name); }
try { 1n + 1; } catch (error) { console.log(error.message); }
try { "x" in 5; } catch (error) { console.log(error.name); }
try { ({}) instanceof 5; } catch (error) { console.log(error.name); }
console.log(10n ** 20n, 7n / 2n, -7n % 3n, 1n << 65n, 5n > 4, 2n == 2, 0n || "zero", BigInt(10) * 3n, typeof 5n, -5n, 0x1fn);
console.log(0.1 + 0.2, 1e21, 1e-7, 123456789012345680000, 5e-324, -1e-7, 100, 1.5e300 * 1.5e300);
console.log(2147483647 + 1, -2147483648 - 1, 65536 * 65536, 46341 * 46341, 0 * -1, 4294967295 | 0);
let order = "";
const trace = (text, value) => { order += text; return value; };
trace("a", { f(...x) { order += "f"; } }).f(trace("b", 1), trace("c", 2));
trace("[", [])[trace("k", 0)] = trace("v", 1);
console.log(order);
