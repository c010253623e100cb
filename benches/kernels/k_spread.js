// Immutable updates: destructuring, rest and spread of objects and arrays.
export function kernel() {
  let items = [];
  for (let i = 0; i < 2_000; i++) items.push({ _id: i, title: "t" + i, state: "open", votes: i, meta: { rev: 1, by: "a" } });
  let sum = 0;
  for (let round = 0; round < 3; round++) {
    items = items.map((item) => {
      const { _id, votes, ...others } = item;
      const [first, second = 2, ...more] = [votes, undefined, _id, round];
      sum += first + second + more.length + others.title.length;
      return {
        ...item,
        state: round % 2 === 0 ? "done" : "open",
        votes: votes + 1,
        meta: { ...item.meta, rev: item.meta.rev + 1 },
      };
    });
  }
  for (const {
    votes,
    meta: { rev },
  } of items)
    sum += votes * rev;
  const copied = [...items.slice(0, 1_000), ...items.slice(1_000)];
  return sum + copied.length + Math.max(...copied.slice(0, 100).map((item) => item.votes));
}
