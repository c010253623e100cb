// Each evaluation of a class has private names of its own.
const attempt = (body) => {
  try {
    return String(body());
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
};
const make = (start) =>
  class Counter {
    #count = start;
    static #made = 0;
    #step() {
      return 1;
    }
    get #double() {
      return this.#count * 2;
    }
    set #double(value) {
      this.#count = value / 2;
    }
    constructor() {
      Counter.#made++;
    }
    next() {
      this.#count += this.#step();
      return this.#count;
    }
    doubled(value) {
      if (value !== undefined) this.#double = value;
      return this.#double;
    }
    static made() {
      return Counter.#made;
    }
    static has(object) {
      return #count in object && #step in object && #double in object;
    }
    static peek(object) {
      return object.#count;
    }
    static poke(object, value) {
      object.#count = value;
    }
    static call(object) {
      return object.#step();
    }
    later() {
      return [1, 2].map(() => this.#count).concat((() => () => this.#double)()());
    }
    ordinary() {
      const self = this;
      return (function () {
        return self.#count;
      })();
    }
  };
const [A, B] = [make(1), make(10)];
for (const [Class, Other] of [[A, B], [B, A], [A, A], [B, B]]) {
  for (let round = 0; round < 3; round++) {
    const [own, other] = [new Class(), new Other()];
    console.log(own.next(), own.next(), own.doubled(), own.doubled(8), own.later().join(), own.ordinary(), Class.made());
    console.log(Class.has(own), Class.has(other), Class.has({}));
    console.log(attempt(() => Class.peek(own)), attempt(() => Class.peek(other)), attempt(() => Class.call(other)));
    console.log(attempt(() => Class.poke(other, 1)), attempt(() => Class.call(own)), attempt(() => own.next.call(other)));
    console.log(attempt(() => own.doubled.call(other, 1)), attempt(() => own.later.call(other)));
  }
}

const inLoop = [];
for (let i = 0; i < 3; i++) {
  inLoop.push(
    class {
      #x = i;
      static of(object) {
        return object.#x;
      }
    },
  );
}
for (const Class of inLoop) console.log(inLoop.map((Other) => attempt(() => Class.of(new Other()))).join(" | "));

// A class within a class; the inner one hides a name and uses another of the outer one.
function nested(value) {
  return class Outer {
    #shared = value;
    #hidden = "outer";
    static inner = class Inner {
      #hidden = "inner";
      read(outer) {
        return [outer.#shared, this.#hidden, attempt(() => outer.#hidden)].join();
      }
    };
    read() {
      return this.#hidden;
    }
  };
}
const [First, Second] = [nested(1), nested(2)];
console.log(new First.inner().read(new First()), new Second.inner().read(new Second()));
console.log(attempt(() => new First.inner().read(new Second())), new First().read(), new Second().read());

// Stamped twice, by the same evaluation and by different ones.
const stamp = () => {
  class Base {
    constructor(object) {
      return object;
    }
  }
  return class extends Base {
    #mark = "mark";
    static marked(object) {
      return #mark in object;
    }
  };
};
const [S1, S2] = [stamp(), stamp()];
const target = {};
new S1(target);
console.log(S1.marked(target), S2.marked(target), attempt(() => new S1(target)));
new S2(target);
console.log(S1.marked(target), S2.marked(target), attempt(() => new S2(target)));

// Static private members of a class that is evaluated in generators and async functions.
async function* classes() {
  for (let i = 0; i < 2; i++) {
    yield class {
      static #secret = i;
      static read(Class) {
        return Class.#secret;
      }
    };
  }
}
const made = [];
for await (const Class of classes()) made.push(Class);
console.log(made.map((Class) => made.map((Other) => attempt(() => Class.read(Other))).join()).join(" / "));
