// Objects, caches of property sites, arrays, functions, iteration, numbers: a bit of everything.
const o = {b:1, a:2, 2:'x', 1:'y', [Symbol('s')]:3, get g(){return this.b}, set g(v){this.b=v}, ['c'+1]: 4, __proto__: {inh:1}};
console.log(JSON.stringify(Object.keys(o)), o.g, (o.g=5, o.b), o.inh, Object.getOwnPropertyNames(o).join(), Reflect.ownKeys(o).length);
for (const k in o) console.log(k);
delete o.a; o.a = 9; console.log(Object.keys(o).join());
const big = {}; for (let i=0;i<300;i++) big['k'+i]=i; for (let i=0;i<300;i+=2) delete big['k'+i]; console.log(Object.keys(big).length, big.k1, big.k0, big.k299); big.k0='again'; console.log(Object.keys(big).at(-1));
const num = {}; for (let i=10;i>0;i--) num[i]=i; console.log(Object.keys(num).join(), num[3], '3' in num, num['03']);
// IC polymorphism
function getx(p){ return p.x; }
const shapes = [{x:1},{y:1,x:2},{z:1,y:2,x:3},{a:1,b:1,c:1,d:1,e:1,x:4},Object.create({x:5}),{get x(){return 6}},[], 'str', 5, ()=>1, new (class {x=7}), {a1:1,a2:1,a3:1,a4:1,x:8}];
for (let r=0;r<3;r++) console.log(shapes.map(getx).join());
class Base { get x(){ return 'getter'; } set x(v){ this._x = v; } }
class D extends Base {}
const d = new D(); for (let i=0;i<3;i++) { d.x = i; console.log(getx(d), d._x); }
Base.prototype.y = 1; const gy = q=>q.y; console.log(gy(d), gy(d)); Base.prototype.y = 2; console.log(gy(d)); d.y = 3; console.log(gy(d)); delete d.y; console.log(gy(d)); delete Base.prototype.y; console.log(gy(d));
Object.prototype.zz = 'Z'; console.log(gy({}), ({}).zz); delete Object.prototype.zz; console.log(({}).zz);
function setx(p, v){ p.x = v; return p.x }
console.log([{x:1},{y:1},{},[],()=>{}, Object.create({set x(v){ this.q=v }, get x(){return 'q'+this.q}})].map(p=>setx(p,7)).join());
// arrays
const a = [1,2,3]; a.length = 1; a[3] = 4; console.log(JSON.stringify(a), a.length, 1 in a, 3 in a);
a[100000] = 1; console.log(a.length, Object.keys(a).join(), a.indexOf(4)); a.length = 2; console.log(a.length, JSON.stringify(a));
const sp = []; sp[5000000] = 1; sp.push(2); console.log(sp.length, sp[5000001], Object.keys(sp).join());
a.foo = 'bar'; console.log(Object.keys(a).join(), JSON.stringify(a));
const b2 = [,1,,2]; console.log(b2.length, 0 in b2, b2.map(x=>x*2).length, b2.join('-'), JSON.stringify([...b2]));
console.log([3,undefined,1,,2].sort().length, [1,[2,[3,[4]]]].flat(Infinity).join(), Array.from({length:3},(_, i)=>i*i).join());
class MyArr extends Array { sum(){ return this.reduce((x,y)=>x+y,0); } } const ma = MyArr.from([1,2,3]); console.log(ma.sum(), ma.map(x=>x*2) instanceof MyArr, ma.length, ma instanceof Array, Array.isArray(ma));
// functions
function foo(a, b=2, ...c){} console.log(foo.length, foo.name, (()=>{}).name, (class Q{}).name, foo.prototype.constructor===foo, Object.getOwnPropertyNames(foo).join());
const arrow = () => {}; console.log('prototype' in arrow, arrow.name, Object.getOwnPropertyNames(arrow).join());
const bound = foo.bind(null, 1); console.log(bound.name, bound.length);
console.log(foo.toString(), arrow.toString(), Math.max.toString());
class CC { static s = 1; static #p = 2; static gp(){ return CC.#p; } ['comp'+1](){ return 'c'; } static { this.blk = 'b'; } async am(){} *gm(){} get acc(){return 1} }
console.log(CC.s, CC.gp(), new CC().comp1(), CC.blk, Object.getOwnPropertyNames(CC.prototype).join(), Object.getOwnPropertyNames(CC).join());
console.log(CC.toString().slice(0,20), typeof CC, Object.keys(CC).join());
// args
function args(){ return arguments.length + ':' + [...arguments].join() + Array.prototype.slice.call(arguments,1); } console.log(args(1,2,3,4,5), args());
function many(a,b,c,d,e,f,...g){ return [a,b,c,d,e,f,g].join(); } console.log(many(1,2,3,4,5,6,7,8), many(1), many.apply(null,[1,2,3,4,5,6,7,8,9]), Math.max(...Array.from({length:1000},(_, i)=>i)));
// symbols / toPrimitive
const tp = { [Symbol.toPrimitive](h){ return h==='number'?42:h==='string'?'str':'def'; } }; console.log(+tp, `${tp}`, tp+'', tp*2);
console.log(String(Symbol('d')), Symbol.for('a')===Symbol.for('a'), Symbol('x').description, Object(Symbol.iterator).toString());
console.log([] + {}, [1,2]+'', {}+'', null+1, undefined+1, true+true, '5'*'2', [2]*[3]);
// getter/setter define
const dp = {}; Object.defineProperty(dp,'h',{get(){return 'hh'},enumerable:false,configurable:true}); console.log(dp.h, JSON.stringify(dp), JSON.stringify(Object.getOwnPropertyDescriptor(dp,'h')));
console.log(JSON.stringify(Object.getOwnPropertyDescriptors({a:1,get b(){return 2}})));
// tagged templates
function tag(s,...v){ return s.raw.join('|')+v.join()+s.length+Object.isFrozen(s); } console.log(tag`a${1}b\n${2}c`);
const same = () => (x=>x)`q`; const tt = x=>x; const ft=()=>tt`q`; console.log(ft()===ft());
// labeled, switch
outer: for (let i=0;i<3;i++) { for (let j=0;j<3;j++) { if (j==1) continue outer; if (i==2) break outer; console.log(i,j); } }
switch (3) { case 1: console.log('1'); default: console.log('d'); case 2: console.log('2'); break; case 4: console.log(4); }
// getter on array proto via IC
console.log([1,2,3].length, 'hello'.length, ((a)=>a.length)([1]), [1,2].concat([3],[4,[5]]).length);
// closures in loops
const fs=[]; for (let i=0;i<3;i++) fs.push(()=>i); console.log(fs.map(f=>f()).join());
// exceptions
function tf(){ try { return 'try'; } finally { console.log('fin'); } } console.log(tf());
function tf2(){ for (const x of [1,2,3]) { try { if (x==2) continue; if (x==3) return x; } finally { console.log('f'+x); } } } console.log(tf2());
const err = new Error('m', {cause: 'c'}); console.log(err.cause, err.message, err instanceof Error, Object.keys(err).length, String(err), Object.prototype.toString.call(err));
class MyErr extends TypeError { constructor(m){ super(m); this.name='MyErr'; this.extra=1; } } const me = new MyErr('boo'); console.log(String(me), me instanceof TypeError, me.stack.split('\n')[0], JSON.stringify(me));
try { try { throw 1 } finally { throw 2 } } catch (e) { console.log(e) }
// Map/Set/WeakMap
const m = new Map([[1,'a'],['1','b'],[NaN,'n'],[0,'z']]); console.log(m.get(1), m.get('1'), m.get(NaN), m.get(-0), m.size, [...m.keys()].join());
const ws = new WeakMap(); const wk={}; ws.set(wk,1); console.log(ws.get(wk), ws.has({}));
// Proxy / Reflect
const px = new Proxy({a:1}, { get(t,k,r){ return k in t ? Reflect.get(t,k,r) : 'no '+String(k); }, has(t,k){ return k==='magic'; }, ownKeys(){ return ['a','b']; }, getOwnPropertyDescriptor(){ return {value:1,enumerable:true,configurable:true}; }, set(t,k,v){ t[k]=v*2; return true; }, deleteProperty(){ return true; } });
console.log(px.a, px.zzz, 'magic' in px, 'a' in px, Object.keys(px).join(), (px.n=4, px.n), delete px.q, JSON.stringify(px));
const pf = new Proxy(function(a){ return a+1; }, { apply(t,th,args){ return t(...args)*10; }, construct(t,args){ return {made:args[0]}; } }); console.log(pf(1), new pf(5).made, typeof pf);
const api = new Proxy({}, { get(_, k){ return new Proxy({}, { get(_, k2){ return k+':'+String(k2); } }); } }); console.log(api.messages.list, api.a.b);
// iter protocol
class It { constructor(n){this.n=n;} *[Symbol.iterator](){ for (let i=0;i<this.n;i++) yield i; } } console.log([...new It(3)].join(), Math.max(...new It(4)), Array.from(new It(2)).length); const [i0,...ir] = new It(3); console.log(i0, ir.join());
const closeIt = { [Symbol.iterator](){ let i=0; return { next(){ return {value:i++,done:false} }, return(){ console.log('closed'); return {}; } }; } }; for (const x of closeIt) { if (x>1) break; } const [q1,q2] = closeIt; console.log(q1,q2);
console.log(Object.fromEntries(new Map([['a',1]])).a, new Set('hello').size, [...'a😀b'].length, 'a😀b'.length);
// numbers
console.log(0.1+0.2, 1e21, 1e-7, -0, 1/3, 123456789012345680000, 5e-324, (255).toString(16), (0.5).toString(2), parseInt('12px'), parseFloat('1.5e3x'), Number(''), Number('0b101'), (25).toString(36));
console.log(2**31|0, 2**32>>>0, -1>>>0, 1<<31, 5%-3, -5%3, 2**53+1, 0/0, 1/0, ~~3.7, Math.round(-0.5), Math.round(2.5), Math.hypot(3,4));
console.log(10n**20n, -7n/2n, -7n%2n, 5n<<3n, BigInt.asUintN(8,257n), 0x10n, typeof 1n, 1n<2, 2n==2, 1n===1n, -(5n), 3n*4n);
var v1 = 1; { var v1 = 2; } console.log(v1); console.log(typeof hoisted, hoisted()); function hoisted(){ return 'h'; }
console.log([1,2,3].includes(2), [NaN].includes(NaN), [NaN].indexOf(NaN), 'abc'.at(-1), Object.entries({a:1}).join(), Object.is(NaN,NaN));
console.log(new Date(0).toISOString(), new Date(2020,1,29,12).getTime(), typeof Date.now());
console.log(encodeURIComponent('a b&ü'), 'ß'.toUpperCase(), 'İ'.toLowerCase().length, 'abc'.padStart(5,'*'), ' x '.trim()+'|', 'a-b-c'.split('-').length, 'aXbX'.replaceAll('X','_'), 'abc'.replace(/b/g, c=>c.toUpperCase()));
