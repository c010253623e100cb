// ChaCha with 12 rounds (D. J. Bernstein, "ChaCha, a variant of Salsa20"), 64-bit counter, zero nonce: what seeds Math.random.

const ROUNDS = 12;

function quarter(state, a, b, c, d) {
  const step = (target, source, other, bits) => {
    state[target] = (state[target] + state[source]) | 0;
    const mixed = state[other] ^ state[target];
    state[other] = (mixed << bits) | (mixed >>> (32 - bits));
  };
  step(a, b, d, 16);
  step(c, d, b, 12);
  step(a, b, d, 8);
  step(c, d, b, 7);
}

function block(key, counter) {
  const input = Int32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, ...key, counter, 0, 0, 0);
  const state = Int32Array.from(input);
  for (let round = 0; round < ROUNDS; round += 2) {
    for (let i = 0; i < 4; i++) quarter(state, i, 4 + i, 8 + i, 12 + i);
    for (let i = 0; i < 4; i++) quarter(state, i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4));
  }
  return Uint32Array.from(state, (word, i) => (word + input[i]) >>> 0);
}

/** Numbers in [0, 1) with 53 random bits from a 32-byte seed. */
export function randomNumbers(seed) {
  const key = Array.from({ length: 8 }, (_, i) => seed.readInt32LE(i * 4));
  let words = [];
  let counter = 0;
  return () => {
    if (words.length === 0) words = [...block(key, counter++)];
    const [low, high] = words.splice(0, 2);
    return Number(((BigInt(high) << 32n) | BigInt(low)) >> 11n) * 2 ** -53;
  };
}
