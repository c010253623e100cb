// What a reviver is told of the text that a value was read from, and texts that JSON.stringify writes as they are.
const attempt = (body) => {
  try {
    console.log(body());
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
};
const show = function (key, value, context) {
  console.log(JSON.stringify(key), value, context, Object.keys(context).join());
  return value;
};
JSON.parse('{"a":[1,-0,1e3,"x\\u0041",null,true],"a":{"b": 2.50 },"c":[ ],"2":[[]],"1":"\\"\\\\"}', show);
JSON.parse(" 12345678901234567890 ", show);
// A value that is no longer what was read has no source, nor has anything in it.
JSON.parse("[1,2,[3],3]", function (key, value, context) {
  if (key === "0") {
    this[1] = 5;
    this[2] = [3];
    this[3] = 3;
  }
  console.log(key, value, context);
  return value;
});
console.log(JSON.parse('{"id":12345678901234567890}', (key, value, { source }) => (key === "id" ? BigInt(source) : value)));

for (const text of ["", " 1", "{}", "[1]", "1 ", "x", "1", "-0.50", '"a"', "true", "null", undefined, 7, Symbol()]) {
  attempt(() => {
    const raw = JSON.rawJSON(text);
    const checks = [Object.isFrozen(raw), JSON.isRawJSON(raw), Object.getPrototypeOf(raw), Reflect.ownKeys(raw).join()];
    return [JSON.stringify({ a: raw, b: [raw] }), raw.rawJSON, ...checks].join(" ");
  });
}
console.log(JSON.rawJSON("1"), JSON.isRawJSON({ rawJSON: "1" }), JSON.isRawJSON(1), JSON.rawJSON.length, JSON.isRawJSON.length);
console.log(JSON.stringify({ id: 1n }, (key, value) => (typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value)));
console.log(Object.getOwnPropertyNames(JSON).join());
