// Classes: inheritance, fields, private names, accessors, static blocks, super, new.target.
class Animal {
  #secret = "hidden"; name; legs = 4; ["computed" + 1] = "c1"; static count = 0; static #registry = [];
  constructor(name) { this.name = name; Animal.count++; Animal.#registry.push(name); }
  get secret() { return this.#secret; } set secret(value) { this.#secret = value.toUpperCase(); }
  speak() { return `${this.name} makes a sound`; }
  #privateMethod(x) { return this.#secret + x; } callPrivate() { return this.#privateMethod("!"); }
  get #acc() { return this.#secret.length; } set #acc(value) { this.#secret = "x".repeat(value); }
  useAccessor() { this.#acc = 3; this.#acc += 2; return this.#acc; }
  static create(...args) { return new this(...args); } static get registry() { return Animal.#registry.join(); }
  static #hidden() { return "static private"; } static callHidden() { return this.#hidden(); }
  static has(o) { return #secret in o; } static { this.initialised = "block " + this.count; var local = 1; let other = () => this.name; this.viaArrow = other() + local; }
  *[Symbol.iterator]() { yield this.name; yield this.legs; } async later() { return this.name + " later"; }
  toString() { return `Animal(${this.name})`; } static 42 = "numeric"; "quoted name" = 1; 'method-name'() { return "quoted method"; }
}
class Dog extends Animal {
  trick = "sit"; arrow = () => this.name + this.trick; static kind = "dog " + super.name;
  constructor(name, ...rest) { super(name); this.rest = rest.length; }
  speak() { return super.speak() + " woof"; } get secret() { return "dog " + super.secret; } set secret(v) { super.secret = v + "!"; }
  static create(...args) { const dog = super.create(...args); dog.made = true; return dog; }
  superArrow() { return (() => super.speak())(); } ["dyn" + "amic"]() { return super["speak"](); }
}
const a = new Animal("cat"), d = Dog.create("rex", 1, 2);
console.log(a.secret, a.legs, a.computed1, a["quoted name"], a["method-name"](), Animal[42], String(a), `${d}`);
a.secret = "new"; console.log(a.secret, a.callPrivate(), a.useAccessor(), Animal.has(a), Animal.has({}), Animal.callHidden());
console.log(d.speak(), d.secret, d.rest, d.made, d.trick, d.arrow(), d.superArrow(), d.dynamic(), Dog.kind, Dog.count, Dog.registry);
d.secret = "woof"; console.log(d.secret, [...a].join(), Animal.initialised, Animal.viaArrow, Object.keys(d).join());
console.log(d instanceof Dog, d instanceof Animal, Dog.name, Dog.length, Animal.length, typeof Dog, Object.getPrototypeOf(Dog) === Animal, d.constructor === Dog);
d.later().then((text) => console.log(text));
class MyError extends Error { name = "MyError"; #code; constructor(message, { code = 1, cause } = {}) { super(message, { cause }); this.#code = code; } get code() { return this.#code; } static is(e) { return e instanceof MyError; } }
class SubError extends MyError { constructor() { super("sub", { code: 7, cause: "because" }); } }
try { throw new SubError(); } catch (e) { console.log(e.name, e.message, e.code, e.cause, String(e), MyError.is(e), e instanceof Error, e.constructor.name, Object.prototype.toString.call(e)); }
try { Animal(); } catch (e) { console.log(e.name, e.message); }
try { new (class extends Animal { constructor() { } })(); } catch (e) { console.log(e.name, e.message); }
try { new (class extends Animal { constructor() { super("a"); super("b"); } })(); } catch (e) { console.log(e.name, e.message); }
try { new (class extends Animal { constructor() { this.x = 1; super(); } })(); } catch (e) { console.log(e.name); }
try { class X extends null {} new X(); } catch (e) { console.log(e.name); }
try { class X extends 5 {} } catch (e) { console.log(e.name, e.message); }
try { a.callPrivate.call({}); } catch (e) { console.log(e.name); }
try { new (class extends Animal { constructor() { return 5; } })(); } catch (e) { console.log(e.name, e.message); }
console.log(new (class extends Animal { constructor() { return { replaced: true }; } })().replaced, new (class { constructor() { return 5; } })() instanceof Object);
class ArrowSuper extends Animal { constructor() { const init = () => super("via arrow"); init(); this.after = this.name; } } console.log(new ArrowSuper().after);
class Cond extends Animal { field = "f"; constructor(x) { if (x) { super("yes"); } else { super("no"); } this.x = this.field + x; } } console.log(new Cond(true).name, new Cond(false).name, new Cond(0).x);
class TryCtor extends Animal { constructor() { try { super("in try"); return; } finally { this.fin = 1; } } } console.log(new TryCtor().name, new TryCtor().fin);
function Old(x) { if (!new.target) return new Old(x); this.x = x; } Old.prototype.get = function () { return this.x; }; console.log(Old(3).get(), new Old(4).get());
class FromOld extends Old { constructor() { super(9); } get() { return super.get() + 1; } } console.log(new FromOld().get());
class Target { constructor() { this.t = new.target.name; } } class SubTarget extends Target {} console.log(new Target().t, new SubTarget().t, Reflect.construct(Target, [], SubTarget).t);
const Mixin = (Base) => class extends Base { mixed() { return "mixed " + this.name; } }; console.log(new (Mixin(Animal))("m").mixed(), Mixin(Object).name);
const named = class Inner { static self = Inner; who() { return Inner.name; } }; console.log(named.name, named.self === named, new named().who());
const orderLog = []; class Order { static [(orderLog.push("key1"), "k1")] = orderLog.push("value1"); static { orderLog.push("block"); } [(orderLog.push("key2"), "k2")] = orderLog.push("value2"); }
new Order(); console.log(orderLog.join());
const objectSuper = { __proto__: { hi() { return "proto hi " + this.n; } }, n: 1, hi() { return "own " + super.hi(); }, get up() { return super.hi(); } }; console.log(objectSuper.hi(), objectSuper.up);
class Counter { static #n = 0; static next() { return ++Counter.#n; } static #m = () => Counter.#n * 2; static twice() { return Counter.#m(); } } Counter.next(); Counter.next(); console.log(Counter.next(), Counter.twice());
class Chain { #next; constructor(next) { this.#next = next; } get depth() { return 1 + (this.#next?.depth ?? 0); } static last(c) { return c?.#next ? Chain.last(c.#next) : c; } set(o, v) { [o.#next] = [v]; ({ v: o.#next } = { v }); o.#next &&= v; return o.#next; } } const c3 = new Chain(new Chain(new Chain())); console.log(c3.depth, Chain.last(c3).depth, c3.set(c3, null));
class Getter { static get [Symbol.species]() { return Array; } get [Symbol.toStringTag]() { return "Tagged"; } } console.log(String(new Getter()), Getter[Symbol.species] === Array);
class Accessors { #v = 1; get v() { return this.#v; } set v(x) { this.#v = x * 2; } bump() { this.v++; this.v += 1; return this.#v; } } console.log(new Accessors().bump());
class ArrayLike extends Array { sum() { return this.reduce((x, y) => x + y, 0); } } const al = ArrayLike.from([1, 2, 3]); console.log(al.sum(), al.length, al.map((x) => x * 2).sum(), al instanceof ArrayLike);
class M extends Map { getOr(k, d) { return this.has(k) ? this.get(k) : d; } } const mm = new M([["a", 1]]); console.log(mm.getOr("a", 0), mm.getOr("b", 2), mm.size);
console.log(Object.getOwnPropertyNames(Animal.prototype).join(), Object.getOwnPropertyDescriptor(Animal.prototype, "speak").enumerable, JSON.stringify(Object.keys(Animal)));
class FieldNames { a = () => {}; b = class {}; static c = function () {}; #p = () => {}; p() { return this.#p.name; } } const fn = new FieldNames(); console.log(fn.a.name, fn.b.name, FieldNames.c.name, fn.p());
class A1 { x = this.init(); init() { return "A1"; } } class B1 extends A1 { y = "set"; init() { return "B1 " + this.y; } } console.log(new B1().x, new B1().y);
let leaked; class Leak { static { leaked = () => this; } } console.log(leaked() === Leak);
