// Loops, labels, switch, try/catch/finally in every combination.
const out = [];
for (let i = 0; i < 3; i++) out.push(i);
for (let i = 0, j = 10; i < j; i += 3, j--) out.push(i + ":" + j);
let w = 0; while (true) { if (++w > 5) break; if (w % 2) continue; out.push("w" + w); }
let d = 0; do { d++; if (d === 2) continue; out.push("d" + d); } while (d < 3);
console.log(out.join(" "));
outer: for (let i = 0; i < 4; i++) {
  for (let j = 0; j < 4; j++) {
    if (j === 2) continue outer;
    if (i === 2) break outer;
    console.log("pair", i, j);
  }
}
block: { console.log("in block"); if (w) break block; console.log("never"); }
function pick(x) {
  switch (x) {
    case 1: return "one";
    case "1": return "string one";
    case 2: case 3: { let y = "two or three"; return y; }
    default: return "other";
    case 4: return "after default";
  }
}
console.log([1, "1", 2, 3, 4, 5, NaN].map(pick).join(", "));
function fall(x) { const r = []; switch (x) { case 0: r.push(0); default: r.push("d"); case 1: r.push(1); break; case 2: r.push(2); } return r.join(""); }
console.log(fall(0), fall(1), fall(2), fall(9));
function switchScope(x) { switch (x) { case 0: let v = 1; return v; case 1: try { return v; } catch (error) { return error.message; } } }
console.log(switchScope(0), switchScope(1));
function f1() { try { return "try"; } finally { console.log("finally runs"); } }
function f2() { try { throw new Error("boom"); } catch (error) { return "caught " + error.message; } finally { console.log("after"); } }
function f3() { try { return "lost"; } finally { return "finally wins"; } }
function f4() { for (const x of [1, 2, 3]) { try { if (x === 2) continue; if (x === 3) break; console.log("body", x); } finally { console.log("fin", x); } } return "done"; }
function f5() { try { try { throw 1; } finally { console.log("inner"); } } catch (error) { return "outer caught " + error; } }
function f6() { l: try { return 1; } finally { break l; } return "broke out"; }
function f7() { let i = 0; while (true) { try { i++; if (i < 3) continue; return "loop " + i; } finally { if (i === 2) console.log("second"); } } }
function f8() { try { throw 1; } catch { try { throw 2; } catch (e) { return e; } finally { console.log("deep"); } } finally { console.log("shallow"); } }
function f9() { try { return ["a", "b"]; } finally { try { throw new Error("swallowed"); } catch {} } }
function f10() { try { return 1; } finally { for (;;) { try { return 2; } finally { break; } } } }
function f11() { let x = 1; try { return x; } finally { x = 2; } }
function f12(n) { a: for (;;) { try { try { if (n === 0) break a; if (n === 1) return "ret"; throw "thr"; } finally { console.log("F1", n); } } finally { console.log("F2", n); } } return "broke"; }
console.log(f1(), f2(), f3(), f4(), f5(), f6(), f7(), f8(), f9().join(), f10(), f11(), f12(0), f12(1));
try { f12(2); } catch (error) { console.log(error); }
function rethrow() { try { throw new TypeError("t"); } catch (error) { throw error; } finally { console.log("cleanup"); } }
try { rethrow(); } catch (error) { console.log(error instanceof TypeError, error.message); }
try { try { throw 1; } finally { throw 2; } } catch (error) { console.log("replaced by", error); }
try { throw { code: 5, nested: [1] }; } catch ({ code, nested: [first] }) { console.log(code, first); }
for (const key in { a: 1, b: 2, 3: 3 }) console.log("in", key);
for (const key in [7, 8]) console.log(key, typeof key);
for (const nothing in null) console.log("never", nothing);
class P { constructor() { this.own = 1; } } P.prototype.inherited = 2;
for (const key in new P()) console.log(key);
let target = {}; for (target.key in { z: 1 }); for (target["v"] of [9]); console.log(JSON.stringify(target));
var hoisted; console.log(hoisted, typeof later); { function later() {} } var hoisted = 3; console.log(hoisted);
if (w) var fromIf = "var escapes"; console.log(fromIf);
const nested = []; for (let i = 0; i < 2; i++) for (let j = i; j < 3; j++) { if (j === 1) continue; nested.push([i, j].join("")); } console.log(nested.join());
for (let i = 0; i < 3; i++) { let i = "shadow"; console.log(i); }
for (var v = 0; v < 2; v++); console.log(v);
for (;;) { break; }
empty: ;
console.log(((x) => { if (x) { return "yes"; } else if (x === 0) return "zero"; else return "no"; })(0));
