//! Garbage is collected while an execution runs, and what is reachable stays.

use std::time::Duration;

use convex_wasm_runtime::{Execution, SilentHost};

use crate::support::{answer, call_within, pool};

/// Each export allocates several times what it keeps alive.
const SOURCE: &str = "
const cache = new Map();
const dates = [];
export const objects = { run(count) {
    const kept = [];
    let sum = 0;
    for (let i = 0; i < Number(count); i++) {
        const object = { index: i, half: i / 2 };
        if (i % 100000 === 0) kept.push(object);
        sum += object.half;
    }
    return JSON.stringify([sum, kept.length, kept.every((object, i) => object.index === i * 100000 && object.half === i * 50000)]);
} };
export const strings = { run(count) {
    let text = '', longest = '';
    for (let i = 0; i < Number(count); i++) {
        text = `item ${i}: ` + 'x'.repeat(i % 1000);
        if (text.length > longest.length) longest = text;
    }
    return longest.slice(0, 12) + longest.length;
} };
export const everything = { run(count) {
    const outcomes = [];
    for (let i = 0; i < Number(count); i++) {
        const map = new Map([[`key ${i}`, [i, { deep: [i] }]], [i, 2n ** 100n]]);
        const set = new Set(Array.from({ length: 50 }, (_, n) => `${n}`));
        const bytes = new Uint8Array(1000).fill(i);
        const closure = ((a, b) => () => a + b)(i, bytes[i % 1000]);
        const matched = /(\\d+)-(?<word>\\w+)/.exec(`${i}-word`);
        const copy = JSON.parse(JSON.stringify({ i, list: [1, 2, { three: '3' }] }));
        const sorted = [...set].sort((a, b) => b - a);
        const generated = [...(function* () { for (const item of sorted.slice(0, 3)) yield item; })()];
        cache.set(i % 10, { map, set, bytes, closure, matched, copy, generated });
        dates[i % 10] = new Date(i);
        if (i % 500 === 499) {
            for (const [slot, old] of cache) {
                const at = old.copy.i;
                outcomes.push(old.map.get(`key ${at}`)[1].deep[0] === at && old.map.get(at) === 2n ** 100n && old.set.has('49')
                    && old.bytes[999] === at % 256 && old.closure() === at + at % 256 && old.matched.groups.word === 'word'
                    && old.matched[1] === String(at) && old.copy.list[2].three === '3' && old.generated.join() === '49,48,47'
                    && dates[slot].getTime() === at);
            }
        }
    }
    return `${outcomes.length} ${outcomes.every(Boolean)}`;
} };
export const across = { async run(count) {
    const kept = [];
    for (let i = 0; i < Number(count); i++) {
        const garbage = await Promise.all([Promise.resolve({ i }), (async () => [i, i])()]);
        if (i % 10000 === 0) kept.push(garbage);
    }
    return JSON.stringify(kept.map(([{ i }, [j]]) => i === j));
} };
export const names = { run(count) {
    let found = 0;
    for (let i = 0; i < Number(count); i++) {
        const object = { [`name ${i}`]: i };
        object[`other ${i}`] = i;
        if (object[`name ${i}`] === i && Object.keys(object)[1] === `other ${i}`) found++;
    }
    return String(found);
} };
export const prototypes = { run(count) {
    let found = 0;
    for (let i = 0; i < Number(count); i++) {
        const prototype = { i };
        class Local { own = i; }
        if (Object.create(prototype).i === i && new Local().own === i) found++;
    }
    return String(found);
} };
const weak = new WeakMap();
const members = new WeakSet();
export const weakly = { run(count) {
    const kept = [];
    for (let i = 0; i < Number(count); i++) {
        const key = { i };
        const chained = [i];
        weak.set(key, chained).set(chained, { key, text: `value ${i}` });
        members.add(chained);
        if (i % 10000 === 0) kept.push(key);
    }
    return String(kept.filter((key) => members.has(weak.get(key)) && weak.get(weak.get(key)).text === `value ${key.i}`).length);
} };
export const small = { run(count) {
    let last;
    for (let i = 0; i < Number(count); i++) last = { index: i, next: i + 1 };
    return String(last.index);
} };
export const deep = { run(count) {
    const descend = (depth) => {
        const mine = { depth, text: `level ${depth}` };
        const below = depth === 0 ? 0 : descend(depth - 1);
        let garbage;
        for (let i = 0; i < Number(count); i++) garbage = [i, { i }];
        return below + (mine.text === `level ${depth}` && mine.depth === depth && garbage.length === 2 ? 1 : 0);
    };
    return String(descend(100));
} };
";

async fn run(export: &str, argument: &str) -> (String, Execution<SilentHost>) {
    let pool = pool(SOURCE).await;
    let execution = call_within(Duration::from_secs(120), &pool, export, argument, SilentHost::default()).await;
    let answer = match &execution.result {
        Ok(text) => text.clone(),
        Err(error) => error.to_string(),
    };
    (answer, execution)
}

#[tokio::test]
async fn garbage_is_collected_and_what_is_reachable_stays() {
    for (export, argument, expected) in [
        ("objects", "3000000", "[2249999250000,30,true]"),
        ("strings", "110000", "item 100999:1012"),
        ("everything", "2000", "40 true"),
        ("across", "30000", "[true,true,true]"),
        ("names", "150000", "150000"),
        ("prototypes", "50000", "50000"),
        ("weakly", "100000", "10"),
        ("deep", "20000", "101"),
    ] {
        let (answer, execution) = run(export, argument).await;
        assert_eq!(answer, expected, "{export}");
        let usage = execution.usage;
        assert!(usage.collections > 0 && usage.heap < 32 << 20, "{export}: {usage:?}");
    }
}

/// Each object takes 48 bytes.
#[tokio::test]
async fn ten_gigabytes_of_small_objects_need_little_memory() {
    let (answer, execution) = run("small", "210000000").await;
    assert_eq!(answer, "209999999");
    assert!(execution.usage.heap < 64 << 20, "{:?}", execution.usage);
}

/// What evaluating the module leaves behind is neither in the image nor missed.
#[tokio::test]
async fn garbage_of_the_evaluation_is_not_in_the_image() {
    let module = |count: u32| {
        format!(
            "const kept = {{ text: 'kept' }};
            let lists = [];
            for (let i = 0; i < {count}; i++) lists.push(['item ' + i, {{ i }}]);
            lists = lists.length;
            export const what = {{ run() {{ return kept.text + lists + /k(.)pt/.exec(kept.text)[1]; }} }};"
        )
    };
    let (few, many) = (pool::<SilentHost>(&module(1)).await, pool(&module(20_000)).await);
    assert_eq!(answer(&many, "what", "").await, "kept20000e");
    // Twenty thousand of them take more than a megabyte.
    let (few, many) = (few.program().shared_memory(), many.program().shared_memory());
    assert!(many < few + (128 << 10), "{few} bytes and {many}");
}
