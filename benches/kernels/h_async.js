// 10,000 awaits one after the other, then Promise.all of 1,000.
async function increment(value) {
  return value + 1;
}

async function chain(length) {
  let value = 0;
  while (value < length) value = await increment(value);
  return value;
}

export async function kernel() {
  const chained = await chain(10_000);
  const all = await Promise.all(Array.from({ length: 1_000 }, (_, i) => increment(i)));
  return all.reduce((sum, value) => sum + value, chained);
}
