// What errors say of private members that an object lacks.
const t=(f)=>{try{f();console.log('ok')}catch(e){console.log(e.message)}};
class A { #m(){} get #g(){return 1} set #s(v){} static #sm(){} static get #sg(){return 1} static #sf=1; #f=1;
 static t(o){ t(()=>o.#m()); t(()=>o.#m); t(()=>o.#m=1); t(()=>o.#g); t(()=>o.#g=1);t(()=>o.#s=1);t(()=>o.#s); t(()=>A.#sm.call(o)); t(()=>o.#sm()); t(()=>o.#sm=1); t(()=>o.#sg); t(()=>o.#sf); t(()=>o.#sf=1); t(()=>o.#f); t(()=>o.#f=1); t(()=>#m in o)} };
for (const o of [{}, A, undefined, null, 1, new A]) { console.log('--', String(o)); A.t(o); }
const [B] = [class { #m(){} static #s(){} static t(o){ t(()=>o.#m()); t(()=>o.#s()); } }];
B.t({});
const C = class { #m(){} static #s(){} static t(o){ t(()=>o.#m()); t(()=>o.#s()); } }; C.t({});
class Base { constructor(o) { return o } }
class D extends Base { #m(){} #f=1 } ; const z={}; new D(z); t(()=>new D(z));
class E extends Base { #f=1 } ; const y={}; new E(y); t(()=>new E(y));
class F extends Base { get #a(){return 1} } ; const x={}; new F(x); t(()=>new F(x));

class A2 { #m(){} static #sm(){} #f; static #sf; static t(o){ t(()=>#m in o); t(()=>#sm in o); t(()=>#f in o); t(()=>#sf in o)} };
A2.t(1); A2.t(undefined); A2.t({}); A2.t(A);
const [B2] = [class { #m(){} static #s(){} static t(o){ t(()=>o.#m()); t(()=>o.#s());t(()=>#m in o); t(()=>#s in o); } }];
B2.t(undefined); B2.t(1);
class Base2 { constructor(o) { return o } }
const Z = (() => class extends Base2 { #m(){} })(); const w={}; new Z(w); t(()=>new Z(w));
