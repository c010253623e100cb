// ChaCha with 12 rounds (D. J. Bernstein, "ChaCha, a variant of Salsa20"), 64-bit counter, zero nonce: the stream that
// `Math.random` of the Wasm guest reads.
"use strict";
const { Buffer } = require("node:buffer");

const ROUNDS = 12;
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

function quarter(state, a, b, c, d) {
  state[a] += state[b];
  state[d] ^= state[a];
  state[d] = (state[d] << 16) | (state[d] >>> 16);
  state[c] += state[d];
  state[b] ^= state[c];
  state[b] = (state[b] << 12) | (state[b] >>> 20);
  state[a] += state[b];
  state[d] ^= state[a];
  state[d] = (state[d] << 8) | (state[d] >>> 24);
  state[c] += state[d];
  state[b] ^= state[c];
  state[b] = (state[b] << 7) | (state[b] >>> 25);
}

/** Numbers in [0, 1) with 53 random bits from a seed of 32 bytes in hexadecimal. */
function randomNumbers(seed) {
  const input = new Uint32Array(16);
  input.set(CONSTANTS);
  const key = Buffer.from(seed, "hex");
  for (let i = 0; i < 8; i++) input[4 + i] = key.readUInt32LE(4 * i);
  const block = new Uint32Array(16);
  let used = block.length;
  const refill = () => {
    block.set(input);
    for (let round = 0; round < ROUNDS; round += 2) {
      for (let i = 0; i < 4; i++) quarter(block, i, 4 + i, 8 + i, 12 + i);
      for (let i = 0; i < 4; i++) quarter(block, i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4));
    }
    for (let i = 0; i < block.length; i++) block[i] += input[i];
    input[12] += 1;
    used = 0;
  };
  return () => {
    if (used === block.length) refill();
    const low = block[used++];
    const high = block[used++];
    return (high * 2 ** 21 + (low >>> 11)) * 2 ** -53;
  };
}

module.exports = { randomNumbers };
