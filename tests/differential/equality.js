// Strict equality and truthiness of values whose types are not known, in loops.
const vals = ["a", "b" + "", "ab", "a" + "b", "", 0, 1, null, undefined, true, {}, NaN, 10n, Symbol.iterator, "x".repeat(50), "x".repeat(49) + "x"];
let out = []; for (const v of vals) for (let i = 0; i < 2; i++) { out.push(v === "ab", "a" === v, v !== "", v === "x".repeat(50), `${i}` === v, v ? 1 : 0, !v, v === v); for (const w of vals) out.push(v === w ? 1 : 0); }
console.log(out.join(" "));
const big = []; for (let i = 0; i < 3; i++) { const t = `k${i}`; switch (t) { case "k0": big.push("zero"); break; case "k" + 1: big.push("one"); break; default: big.push("d"); } } console.log(big.join());
