// Instances of classes: repeated construction, prototypes that change, constructors that throw, return objects or recurse.
class P { constructor(x,y){ this.x=x; this.y=y; } get sum(){ return this.x+this.y; } plus(o){ return new P(this.x+o.x, this.y+o.y); } }
class Q extends P { #z=3; w=4; constructor(x){ super(x,1); this.q=x; if (x>2) this.extra=1; } get z(){return this.#z} }
for (let i=0;i<6;i++){ const q=new Q(i); console.log(JSON.stringify(q), q.sum, q.z, q instanceof P, q.plus(q) instanceof Q, Object.keys(q).join()); }
class E2 extends Error { constructor(m){ super(m); this.k=1; } }
for (let i=0;i<3;i++) console.log(new E2("a"+i).message, new E2("b").k);
class R { constructor(){ return {a:1}; } }
for (let i=0;i<3;i++) console.log(JSON.stringify(new R()));
class S extends R { b=2; }
for (let i=0;i<3;i++) console.log(JSON.stringify(new S()));
class N { constructor(){ this.t = new.target.name; } } class M extends N {}
for (let i=0;i<3;i++) console.log(new N().t, new M().t, Reflect.construct(N, [], M).t, Reflect.construct(M, [], N).t);
class V { constructor(){ this.a=1; Object.preventExtensions(this); this.b=2; } }
for (let i=0;i<3;i++) try { new V() } catch (e) { console.log(e.message) }
class D extends N { constructor(x){ if (x) super(); } }
for (let i=0;i<3;i++) try { new D(i%2) } catch (e) { console.log(e.message) }
class T { constructor(n){ if (n>0) this.c = new T(n-1); else throw new Error("deep") } }
for (let i=0;i<3;i++) try { new T(5) } catch (e) { console.log(e.message) }
class Rec { constructor(){ new Rec() } }
try { new Rec() } catch (e) { console.log(e instanceof RangeError) }
const holder = { get x(){ return 5 } }; class G { get r(){ return this.r2 } get loop(){ return this.loop } }
try { new G().loop } catch (e) { console.log(e instanceof RangeError) }
Object.defineProperty(P.prototype, "x", { set(v){ console.log("set", v) }, configurable: true });
console.log(JSON.stringify(new P(1,2)), JSON.stringify(new Q(1)));
delete P.prototype.x; console.log(JSON.stringify(new P(1,2)));
Object.setPrototypeOf(Q, R); console.log(JSON.stringify(new Q(7)), Q.prototype instanceof P);
function many(a,b,c,d,e){ this.v=[a,b,c,d,e] } console.log(JSON.stringify(new many(1,2,3,4,5)));
class Five { constructor(a,b,c,d,e){ this.v=[a,b,c,d,e] } } for (let i=0;i<3;i++) console.log(JSON.stringify(new Five(1,2,3,4,i)));
class Six extends Five { constructor(a,b,c,d,e){ super(a,b,c,d,e) } } for (let i=0;i<3;i++) console.log(JSON.stringify(new Six(1,2,3,4,i)));
class Big { constructor(){ for (let i=0;i<70;i++) this["p"+i]=i } } for (let i=0;i<3;i++) console.log(Object.keys(new Big()).length);
