// Weak collections, references and registries while memory is collected.

const map = new WeakMap();
const set = new WeakSet();
const objects = [];
for (let i = 0; i < 3000; i++) {
    const key = { i };
    const value = { key, chain: [i] };
    map.set(key, value);
    map.set(value.chain, `chain ${i}`);
    set.add(value);
    if (i % 300 === 0) objects.push(key);
}
console.log(objects.map((key) => map.get(map.get(key).chain)).join());
console.log(objects.every((key) => set.has(map.get(key))), set.has({}), map.has(objects), map.get(7));

// Entries come and go while others stay.
for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 500; i++) map.set([round, i], i);
    for (const key of objects) {
        if (round === key.i % 5) map.delete(key);
        else if (!map.has(key)) map.set(key, round);
    }
}
console.log(objects.map((key) => (map.has(key) ? typeof map.get(key) : 'none')).join());

// A key that is only reachable through the value of another one.
const root = {};
let link = root;
for (let i = 0; i < 100; i++) {
    const next = { i };
    map.set(link, next);
    link = next;
}
link = null;
const garbage = [];
for (let i = 0; i < 2000; i++) garbage[i % 10] = { i, text: `garbage ${i}` };
let length = 0;
for (let at = root; map.has(at); at = map.get(at)) length++;
console.log(length);

const symbol = Symbol('weak');
map.set(symbol, 'by symbol');
console.log(map.get(symbol), map.has(Symbol('weak')));
try {
    map.set('text', 1);
} catch (error) {
    console.log(`${error}`);
}

const reference = new WeakRef(objects);
console.log(reference.deref() === objects);

const registry = new FinalizationRegistry(() => console.log('never'));
const token = {};
registry.register({}, 'held', token);
console.log(registry.unregister(token), registry.unregister(token));

// Names and shapes that die with their objects come back the same.
const seen = [];
for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 300; i++) {
        const object = { [`key ${i}`]: round };
        object[`more ${i}`] = i;
        if (i % 100 === 7) seen.push(JSON.stringify(object));
    }
}
console.log(seen.join());

// So do prototypes and classes.
const results = [];
for (let i = 0; i < 200; i++) {
    class Point {
        constructor(x) {
            this.x = x;
            this.y = i;
        }
        sum() {
            return this.x + this.y;
        }
    }
    const derived = Object.create(new Point(i), { z: { value: 1, enumerable: true } });
    if (i % 50 === 0) results.push(derived.sum() + derived.z, Object.keys(derived).join());
}
console.log(results.join());

(async () => {
    const later = new WeakMap();
    const kept = [];
    for (let i = 0; i < 200; i++) {
        const key = { i };
        const value = [key];
        later.set(key, value).set(value, `later ${i}`);
        const object = { [`late ${i}`]: i };
        if (i % 20 === 0) kept.push(key, object);
        await null;
    }
    console.log(kept.map((it) => (later.has(it) ? later.get(later.get(it)) : Object.keys(it)[0])).join());
    console.log(reference.deref() === objects);
})();
