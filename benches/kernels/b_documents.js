// 10,000 documents: build, filter, map, sort with a comparator, reduce.
function build(count) {
  const documents = [];
  let state = 20_011;
  for (let i = 0; i < count; i++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    documents.push({
      _id: "m" + i,
      author: "writer" + (state % 900),
      score: state % 9_973,
      labels: ["l" + (i % 5), "l" + (i % 4)],
    });
  }
  return documents;
}

export function kernel() {
  const rows = build(10_000)
    .filter((row) => row.score > 1_900 && row.labels[0] !== "l2")
    .map((row) => ({ id: row._id, author: row.author, score: row.score * 2, labels: row.labels.length }));
  rows.sort((a, b) => b.score - a.score || (a.author < b.author ? -1 : a.author > b.author ? 1 : 0));
  return rows.reduce(
    (sum, row, index) => (sum + row.score * (index % 7) + row.labels + row.author.length) % 1_000_000_007,
    0,
  );
}
