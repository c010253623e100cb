// nanoid, ulid, superjson: identifiers (without cryptographic randomness, which queries and mutations have not) and serialisation.
import { customRandom, urlAlphabet } from "nanoid";
import { ulid, monotonicFactory, decodeTime, encodeTime, isValid } from "ulid";
import superjson from "superjson";

const show = (name, value) => console.log(name, JSON.stringify(value));

let seed = 1;
const random = (size) => Uint8Array.from({ length: size }, () => (seed = (seed * 16807) % 2147483647) & 255);
show("customRandom", [customRandom("abcdef", 10, random)(), customRandom(urlAlphabet, 12, random)()]);

const fixed = () => 0.5;
const next = monotonicFactory(fixed);
show("ulid", [next(1469918176385), next(1469918176385), next(1469918176386), ulid(5, fixed).length, decodeTime("01ARYZ6S41TSV4RRFFQ69G5FAV"), encodeTime(1469918176385, 10), isValid("x"), isValid(ulid(5, fixed))]);
try { decodeTime("short"); } catch (error) { show("ulid error", [error.name, error.message, error.code]); }

class Money { constructor(cents) { this.cents = cents; } }
superjson.registerClass(Money, { identifier: "Money" });
superjson.registerCustom({ isApplicable: (v) => v instanceof WeakRef, serialize: () => "weak", deserialize: () => null }, "weak");
const value = {
  date: new Date(5), undef: undefined, big: 12345678901234567890n, re: /a+/gi, set: new Set([1, "2", { three: 3 }]), map: new Map([["k", new Date(7)]]),
  nan: NaN, inf: -Infinity, zero: -0, error: new RangeError("out"), url: new URL("https://example.com/a?b=c#d"), bytes: new Uint8Array([1, 2, 255]), money: new Money(5), "a.b": { "c\\d": new Date(9) },
};
value.again = value.map;
const text = superjson.stringify(value);
console.log(text);
const back = superjson.parse(text);
show("back", [back.date.getTime(), "undef" in back, String(back.big), String(back.re), [...back.set], [...back.map.values()][0].getTime(), Object.is(back.zero, -0), back.error instanceof Error, back.error.message, back.url.href, [...back.bytes], back.money instanceof Money, back.again === back.map, back["a.b"]["c\\d"].getTime()]);
