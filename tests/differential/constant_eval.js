console.log(eval("1+2"), eval("1; if (false) 2;"), eval("do { 3; break; } while(1)"), eval("'abc'"), eval("var x = 5; x * 2"), eval(""), eval("4; try { 5 } finally { 6 }"));
function f(a) { return eval("arguments.length + a"); }
console.log(f(1, 2));
try { eval("1 +"); } catch (e) { console.log(e.name); }
try { eval("let q; let q;"); } catch (e) { console.log(e.name); }
class A { m() { return 7 } } class B extends A { m() { return eval("super.m()") } x = eval("this instanceof B"); }
console.log(new B().m(), new B().x);
try { eval("y1"); let y1 = 1; } catch (e) { console.log(e.name) }
console.log(eval("a: for (const i of [1,2]) { i; continue a; }"), eval("switch (1) { case 1: 9; case 2: break; }"));
console.log(typeof eval("(function g() { return 1; })"), eval("eval('40 + 2')"));
