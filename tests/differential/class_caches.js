// Sites of private names, getters and setters that run often, attacked where caches could go wrong.
function attempt(name, body) {
  try {
    console.log(name, body());
  } catch (error) {
    console.log(name, error.name, error.message);
  }
}

class Account {
  #balance = 0;
  static #made = 0;
  #log() {
    return `log ${this.#balance}`;
  }
  get #secret() {
    return this.#balance * 2;
  }
  set #secret(value) {
    this.#balance = value / 2;
  }
  constructor(balance) {
    this.#balance = balance;
    Account.#made++;
  }
  deposit(amount) {
    this.#balance += amount;
    return this.#balance;
  }
  read(other) {
    return other.#balance;
  }
  write(other, value) {
    other.#balance = value;
  }
  log() {
    return this.#log();
  }
  overwrite() {
    this.#log = 1;
  }
  get secret() {
    return this.#secret;
  }
  set secret(value) {
    this.#secret = value;
  }
  static made() {
    return Account.#made;
  }
  static has(value) {
    return #balance in value;
  }
}
class Savings extends Account {
  rate = 2;
  #rate = 3;
  constructor(balance) {
    super(balance);
    this.extra = 1;
  }
  rates() {
    return this.rate + this.#rate;
  }
}
const accounts = [new Account(1), new Savings(2), new Account(3), new Savings(4)];
let sum = 0;
for (let round = 0; round < 50; round++) {
  for (const account of accounts) sum += account.deposit(round) + account.secret;
}
console.log(sum, Account.made(), accounts[1].rates(), accounts.map((a) => a.log()).join());
accounts[0].secret = 10;
console.log(accounts[0].secret, accounts[0].log());
attempt("read of a stranger", () => accounts[0].read({}));
attempt("read of a primitive", () => accounts[0].read(1));
attempt("write to a stranger", () => accounts[0].write({ balance: 1 }, 2));
attempt("write to null", () => accounts[0].write(null, 2));
attempt("write to a method", () => accounts[0].overwrite());
attempt("read of a frozen object", () => {
  const frozen = Object.freeze(new Account(5));
  accounts[0].write(frozen, 6);
  return accounts[0].read(frozen) + accounts[0].read(accounts[1]);
});
attempt("through a proxy", () => accounts[0].read(new Proxy(accounts[0], {})));
console.log(Account.has(accounts[1]), Account.has({}), Account.has(Object.create(accounts[1])));

// Private names put on objects of a foreign shape.
class Stamp {
  constructor(target) {
    return target;
  }
}
class Stamped extends Stamp {
  #stamp = "stamp";
  static read(object) {
    return object.#stamp;
  }
}
for (const target of [{}, { a: 1 }, [1, 2], () => 1, Object.freeze({ b: 2 }), new Map()]) {
  attempt("stamped", () => Stamped.read(new Stamped(target)));
  attempt("twice", () => new Stamped(target));
}

// Getters and setters of prototypes, replaced, shadowed and removed under running sites.
class Point {
  constructor(x) {
    this.raw = x;
  }
  get x() {
    return this.raw;
  }
  set x(value) {
    this.raw = value + 1;
  }
}
class Deep extends Point {}
const read = (object) => object.x;
const write = (object, value) => {
  object.x = value;
};
const points = [new Point(1), new Deep(2), { x: 3 }, new Point(4), { raw: 5, x: 6 }];
const readAll = () => points.map(read).join();
const writeAll = () => points.forEach((point, index) => write(point, index));
for (let i = 0; i < 3; i++) {
  writeAll();
  console.log(readAll());
}
Object.defineProperty(Point.prototype, "x", { get: () => "replaced", set: undefined, configurable: true });
console.log(readAll());
attempt("no setter", () => write(points[0], 1));
Object.defineProperty(Deep.prototype, "x", { get: () => "shadowed", set(value) { this.seen = value; }, configurable: true });
console.log(readAll());
write(points[1], 9);
console.log(points[1].seen);
delete Deep.prototype.x;
console.log(readAll());
delete Point.prototype.x;
console.log(readAll());
writeAll();
console.log(readAll(), Object.keys(points[0]).join());
Object.defineProperty(points[0], "x", { get: () => "own", configurable: true });
console.log(readAll());
attempt("own getter only", () => write(points[0], 1));
Object.setPrototypeOf(Deep.prototype, { get y() { return "y of " + this.raw; }, set y(v) { throw new RangeError("y " + v); } });
const readY = (object) => object.y;
for (let i = 0; i < 4; i++) console.log(readY(points[1]), readY(points[0]));
attempt("setter throws", () => {
  points[1].y = 3;
});
const throwing = Object.create({ get z() { throw new TypeError("z"); } });
for (let i = 0; i < 3; i++) attempt("getter throws", () => throwing.z);

// Getters that call themselves: the stack ends, not the program.
class Endless {
  get self() {
    return this.self;
  }
  set self(value) {
    this.self = value + 1;
  }
}
attempt("endless getter", () => new Endless().self);
attempt("endless setter", () => {
  new Endless().self = 1;
});
// Getters that take no part in `this` coercion of strict code.
Object.defineProperty(Number.prototype, "kind", { get() { "use strict"; return typeof this; }, configurable: true });
for (let i = 0; i < 3; i++) console.log((5).kind, read({ x: i }));
