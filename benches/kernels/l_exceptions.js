// 10,000 rounds through try, catch and finally; two in three throw, one in three an Error.
function check(i) {
  if (i % 3 === 0) throw new Error("wrong " + i);
  if (i % 3 === 1) throw { code: i };
  return i;
}

export function kernel() {
  let sum = 0;
  for (let i = 0; i < 10_000; i++) {
    try {
      sum += check(i);
    } catch (error) {
      sum += error.code !== undefined ? error.code : error.message.length;
    } finally {
      sum += 1;
    }
  }
  return sum;
}
