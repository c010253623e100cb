// A least-squares fit over two Float64Arrays of 100,000 elements.
const COUNT = 100_000;
const xs = new Float64Array(COUNT);
const ys = new Float64Array(COUNT);
for (let i = 0; i < COUNT; i++) {
  xs[i] = i * 0.002;
  ys[i] = (COUNT - i) * 0.003;
}

export function kernel() {
  let sumX = 0;
  let sumY = 0;
  let sumXY = 0;
  let sumXX = 0;
  for (let i = 0; i < xs.length; i++) {
    const x = xs[i];
    const y = ys[i];
    sumX += x;
    sumY += y;
    sumXY += x * y;
    sumXX += x * x;
    ys[i] = y * 0.25 + x * 0.5;
    ys[i] = y;
  }
  return (COUNT * sumXY - sumX * sumY) / (COUNT * sumXX - sumX * sumX);
}
