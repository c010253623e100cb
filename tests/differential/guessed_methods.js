// Method calls that a name suggests, where the function found is another one.
class Animal {
  constructor(name) {
    this.name = name;
  }
  speak(a, b, c, d) {
    return `${this.name}:${a}${b}${c}${d}`;
  }
  get loud() {
    return this.speak("!").toUpperCase();
  }
}
class Dog extends Animal {
  speak(a) {
    return "dog " + super.speak(a, 2);
  }
}
const bird = {
  name: "bird",
  speak: (a) => "arrow " + a,
  chirp() {
    return this.name + arguments.length;
  },
};
function call(object) {
  return object.speak(1);
}
const all = [new Animal("a"), new Dog("b"), bird, { speak: call, name: "x" }];
function attempt(body) {
  try {
    return String(body());
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}
const others = [
  null,
  undefined,
  5,
  "text",
  {},
  { speak: 7 },
  { speak: null },
  { speak: class Speak {} },
  { speak: String.prototype.toUpperCase.bind("bound") },
  { speak: new Proxy(function (a) { return "proxied " + a; }, {}) },
  new Proxy(new Animal("inner"), { get: (target, key) => (key === "speak" ? () => "trapped" : target[key]) }),
  { get speak() { return (a) => "from getter " + a; } },
  { speak(...rest) { return "rest " + rest.length; } },
  { async speak(a) { return a; } },
  { *speak(a) { yield a; } },
];
for (let round = 0; round < 3; round++) {
  for (let i = 0; i < 3; i++) console.log(call(all[i]), attempt(() => all[i].loud));
  for (const other of others) console.log(attempt(() => other.speak(1)), attempt(() => call(other)));
  console.log(attempt(() => all[3].speak(bird)));
}
// Replaced and deleted under a site that knows the method.
const dog = new Dog("c");
function speakOften(change) {
  let out = "";
  for (let i = 0; i < 6; i++) {
    if (i === 3) change();
    out += attempt(() => dog.speak(i)) + ";";
    try {
      out += dog.speak(i) + ".";
    } catch (error) {
      out += error.message + ".";
    }
  }
  return out;
}
console.log(speakOften(() => {}));
console.log(speakOften(() => (dog.speak = (a) => "own " + a)));
console.log(speakOften(() => delete dog.speak));
console.log(speakOften(() => (Dog.prototype.speak = function (a) { return "new " + this.name + a; })));
console.log(speakOften(() => delete Dog.prototype.speak));
console.log(speakOften(() => delete Animal.prototype.speak));
// Closures of one function with different environments.
function counter(step) {
  let count = 0;
  return { next: () => (count += step), read: () => count };
}
const counters = [counter(1), counter(10), counter(100)];
for (let i = 0; i < 9; i++) counters[i % 3].next();
console.log(counters.map((each) => each.read()).join());
// A recursion through a method ends with an error.
class Deep {
  down(n) {
    return this.down(n + 1) + 1;
  }
}
console.log(attempt(() => new Deep().down(0)));
