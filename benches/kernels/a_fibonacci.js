// Recursion: 1.3 million calls of a small known function.
function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

export function kernel() {
  return fibonacci(30);
}
