// Map, Set and group-by over 10,000 rows.
export function kernel() {
  const rows = [];
  for (let i = 0; i < 10_000; i++) rows.push({ key: "k" + ((i * 7_919) % 501), group: (i * 31) % 97, amount: i % 113 });
  const byKey = new Map();
  for (const row of rows) {
    const entry = byKey.get(row.key);
    if (entry === undefined) byKey.set(row.key, { count: 1, total: row.amount });
    else {
      entry.count++;
      entry.total += row.amount;
    }
  }
  const groups = {};
  for (const row of rows) (groups[row.group] ??= []).push(row);
  const seen = new Set();
  for (const row of rows) seen.add(row.group * 1_000 + row.amount);
  let sum = byKey.size + seen.size;
  for (const [key, { count, total }] of byKey) sum += key.length * count + total;
  for (const name of Object.keys(groups)) sum += Number(name) * groups[name].length;
  for (let i = 0; i < 10_000; i++) if (seen.has(i)) sum++;
  return sum;
}
