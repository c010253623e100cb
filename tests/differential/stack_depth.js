// However often exceptions leave functions, as much of the stack is there as before.
function fail(depth) {
  if (depth === 0) throw new Error("deep");
  return fail(depth - 1) + 1;
}
function descend(depth) {
  return depth === 0 ? 0 : descend(depth - 1) + 1;
}
class Failing {
  constructor(depth) {
    this.value = fail(depth);
  }
  get property() {
    return fail(50);
  }
  set property(value) {
    fail(value);
  }
  method() {
    return fail(50);
  }
}
function* generate(depth) {
  try {
    yield 1;
    yield fail(depth);
  } finally {
    descend(10);
  }
}
const existing = Object.create(Failing.prototype);
const ways = {
  call: () => fail(50),
  construct: () => new Failing(50),
  getter: () => existing.property,
  setter: () => (existing.property = 50),
  method: () => existing.method(),
  callback: () => [1, 2, 3].map(() => fail(50)),
  comparison: () => [3, 1, 2].sort(() => fail(50)),
  replace: () => "abc".replace("b", () => fail(50)),
  conversion: () => `${{ toString: () => fail(50) }}`,
  generator: () => [...generate(50)],
  iterator: () => {
    for (const value of generate(50)) if (value > 1) break;
  },
  reflect: () => Reflect.apply(fail, null, [50]),
  bound: () => fail.bind(null, 50)(),
  proxy: () => new Proxy({}, { get: () => fail(50) }).anything,
  json: () => JSON.stringify({ toJSON: () => fail(50) }),
  nested: () => {
    try {
      fail(20);
    } finally {
      fail(30);
    }
  },
};
for (const [name, way] of Object.entries(ways)) {
  let caught = 0;
  for (let round = 0; round < 2000; round++) {
    try {
      way();
    } catch (error) {
      if (error.message === "deep") caught++;
    }
  }
  console.log(name, caught, descend(2000));
}

const outcomes = { executor: 0, async: 0, then: 0 };
async function failLater(depth) {
  await null;
  return fail(depth);
}
for (let round = 0; round < 500; round++) {
  await new Promise(() => fail(50)).catch(() => outcomes.executor++);
  try {
    await failLater(50);
  } catch {
    outcomes.async++;
  }
  await Promise.resolve()
    .then(() => fail(50))
    .catch(() => outcomes.then++);
}
console.log(JSON.stringify(outcomes), descend(2000));

function overflow() {
  return overflow() + 1;
}
let overflows = 0;
for (let round = 0; round < 20; round++) {
  try {
    overflow();
  } catch (error) {
    if (error instanceof RangeError) overflows++;
  }
}
console.log(overflows, descend(2000));
