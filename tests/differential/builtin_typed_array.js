// ArrayBuffer, typed arrays, DataView.
const text = (value) => {
  try {
    return String(value);
  } catch {
    return "?";
  }
};
const log = (...values) => console.log(values.map(text).join(" "));
const show = (value) => JSON.stringify(value);
const attempt = (body) => {
  try {
    log("ok", body());
  } catch (error) {
    log(error instanceof Error ? error.name + ": " + error.message : "thrown " + text(error));
  }
};
const all = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
];
for (const T of all) {
  const big = T.name.startsWith("Big");
  const v = (x) => (big ? BigInt(Math.trunc(x)) : x);
  const a = new T(4);
  a[0] = v(1);
  a[1] = v(300.7);
  a[2] = v(-1.5);
  a[3] = v(2 ** 31);
  log(
    T.name,
    T.BYTES_PER_ELEMENT,
    T.length,
    a,
    a.length,
    a.byteLength,
    T.from([1, 2].map(v)),
    T.of(v(3)),
    Object.prototype.toString.call(a),
    a.map((x) => x),
    a.slice(1, 3),
    a.subarray(1, 2).byteOffset,
    [...a.keys()],
    a.indexOf(v(1)),
    a.includes(v(9)),
    a.join("-"),
    a.toReversed(),
    a.toSorted(),
    a.with(0, v(7)),
    a.at(-1),
    Object.keys(a),
    a.fill(v(5), 1, 3),
    a.reverse(),
    a.sort(),
    a.copyWithin(0, 2),
    a.find((x) => x == 5),
    a.findLastIndex((x) => x == 5),
    a.every((x) => typeof x === (big ? "bigint" : "number")),
    a.filter((x) => x > 1),
    a.reduce((p, q) => p + q),
    a instanceof Object.getPrototypeOf(T),
  );
}
log(
  new Uint8Array([1, , 3]),
  new Uint8Array({ length: 2, 0: 7 }),
  new Uint8Array(new Set([1, 2])),
  new Uint8Array("3").length,
  new Uint8Array(new Float64Array([1.5, 256, -1])),
  new Uint8ClampedArray([1.5, 2.5, -3, 300, NaN, 0.5]),
  new Float32Array([1.1])[0],
  new Uint8Array(null).length,
  new Uint8Array([NaN, Infinity, "5", true, null, undefined]),
);
const buf = new ArrayBuffer(16);
const u8 = new Uint8Array(buf, 4, 8),
  f64 = new Float64Array(buf, 8),
  i16 = new Int16Array(buf);
u8[0] = 1;
f64[0] = Math.PI;
log(
  i16,
  u8.buffer === buf,
  u8.byteOffset,
  f64.length,
  new Uint8Array(buf, 16).length,
  new Uint8Array(buf.slice(2, 6)),
  buf.slice(-4).byteLength,
);
attempt(() => new Uint16Array(buf, 1));
attempt(() => new Uint16Array(new ArrayBuffer(3)));
attempt(() => new Uint8Array(buf, 17));
attempt(() => new Uint8Array(buf, 8, 9));
attempt(() => new Uint8Array(-1));
attempt(() => Uint8Array(1));
attempt(() => new (Object.getPrototypeOf(Uint8Array))());
attempt(() => new BigInt64Array([1]));
attempt(() => new Uint8Array([1n]));
attempt(() => new Uint8Array(new BigInt64Array(1)));
attempt(() => Uint8Array.from([1], 2));
attempt(() => Uint8Array.of.call(1));
attempt(() => new Uint8Array(1).with(1, 0));
attempt(() => new Uint8Array(1).sort(1));
attempt(() => Uint8Array.prototype.fill.call([]));
attempt(() => new Uint8Array(1).set([1, 2]));
attempt(() => new Uint8Array(1).set([1], -1));
attempt(() => new Uint8Array().reduce((a) => a));
{
  const a = new Uint8Array([1, 2, 3]);
  a.foo = 1;
  a["-0"] = 5;
  a["1.5"] = 5;
  a[10] = 5;
  a["01"] = 6;
  log(
    Object.keys(a),
    1.5 in a,
    "-0" in a,
    10 in a,
    a[10],
    a["1"],
    delete a[10],
    Reflect.deleteProperty(a, 0),
    show(Object.getOwnPropertyDescriptor(a, 0)),
    Object.getOwnPropertyDescriptor(a, 3),
    Reflect.defineProperty(a, 0, { value: 9 }),
    Reflect.defineProperty(a, 0, { value: 9, configurable: false }),
    Reflect.defineProperty(a, 7, { value: 9 }),
    a[0],
    Reflect.set(a, 0, 3),
    Reflect.set(a, 5, 1),
    Object.isFrozen(a),
    Object.isSealed(Object.seal(new Uint8Array(0))),
  );
  attempt(() => Object.freeze(a));
  attempt(() => Object.freeze(new Uint8Array(0)) && "ok");
  a.set([9, 8], 1);
  log(a, a.set(new Uint8Array([4]), 0), a);
  a.set(a.subarray(0, 2), 1);
  log(
    a,
    show(a),
    [...a.entries()].join("|"),
    String(a),
    a.toLocaleString(),
    a.subarray(-2, -1),
    Array.from(a),
    [...a],
    Array.prototype.map.call(a, (x) => x * 1000),
  );
  class Sub extends Uint8Array {}
  log(
    new Sub([1, 2]).map((x) => x) instanceof Sub,
    new Sub(2).subarray(1).constructor.name,
    Sub.from([1]).constructor.name,
  );
}
log(
  new Float64Array([3, NaN, -0, 0, -1, 10, 2]).sort().join(),
  Object.is(new Float64Array([0, -0]).sort()[0], -0),
  new Uint8Array([3, 1, 2]).sort((a, b) => b - a),
  new Float32Array([5, 1]).toSorted((a, b) => a - b),
  new BigInt64Array([3n, -1n]).sort(),
  new Uint8Array([10, 9, 1]).toSorted(),
);
const rb = new ArrayBuffer(4, { maxByteLength: 8 });
const tr = new Uint8Array(rb),
  fx = new Uint8Array(rb, 0, 4),
  of = new Uint8Array(rb, 2);
log(rb.resizable, rb.maxByteLength, tr.length);
rb.resize(8);
tr[7] = 9;
log(tr.length, fx.length, of.length, tr);
rb.resize(2);
log(tr.length, fx.length, fx.byteLength, fx.byteOffset, of.length, of.byteOffset, tr);
rb.resize(6);
log(tr, fx.length, of.length);
attempt(() => rb.resize(9));
attempt(() => new ArrayBuffer(1).resize(1));
attempt(() => new ArrayBuffer(2, { maxByteLength: 1 }));
attempt(() => new ArrayBuffer(-1));
attempt(() => ArrayBuffer(1));
const tb = new ArrayBuffer(4);
const tv = new Uint8Array(tb);
tv[1] = 5;
const t2 = tb.transfer(8);
log(tb.detached, tb.byteLength, tv.length, tv[1], t2.byteLength, new Uint8Array(t2));
attempt(() => tb.slice());
attempt(() => tv.fill(1));
attempt(() => new Uint8Array(tb));
attempt(() => tb.transfer());
attempt(() => [...tv]);
log(
  tv.byteOffset,
  tv.byteLength,
  ArrayBuffer.isView(tv),
  ArrayBuffer.isView(new DataView(t2)),
  ArrayBuffer.isView([]),
  String(t2),
  rb.transfer().resizable,
  t2.transferToFixedLength().byteLength,
);
const dv = new DataView(new ArrayBuffer(16), 2, 12);
dv.setInt16(0, -2);
dv.setUint32(2, 0xdeadbeef, true);
dv.setFloat64(4, 1.5);
log(
  dv.getInt16(0),
  dv.getInt16(0, true),
  dv.getUint32(2, true).toString(16),
  dv.getUint8(2),
  dv.getFloat64(4),
  dv.byteLength,
  dv.byteOffset,
  dv.buffer.byteLength,
  dv.getFloat32(4),
);
dv.setBigInt64(0, -5n);
log(dv.getBigInt64(0), dv.getBigUint64(0), dv.getInt8(7));
dv.setFloat32(0, 3.14159, true);
log(dv.getFloat32(0, true));
attempt(() => dv.getInt8(12));
attempt(() => dv.getInt8(-1));
attempt(() => dv.setFloat64(5, 1));
attempt(() => dv.setBigInt64(0, 1));
attempt(() => new DataView(1));
attempt(() => DataView(1));
attempt(() => new DataView(new ArrayBuffer(1), 2));
attempt(() => new DataView(new ArrayBuffer(1), 0, 2));
attempt(() => DataView.prototype.getInt8.call({}));
log(Object.prototype.toString.call(dv));
const TA = Object.getPrototypeOf(Uint8Array);
log(
  TA.name,
  Object.getOwnPropertyNames(TA).sort().join(),
  Object.getOwnPropertyNames(TA.prototype).sort().join(),
  Object.getOwnPropertyNames(Uint8Array).filter((name) => !/Base64|Hex/.test(name) /* newer than Node 22 */).sort().join(),
  Object.getOwnPropertyNames(Uint8Array.prototype).filter((name) => !/Base64|Hex/.test(name) /* newer than Node 22 */).sort().join(),
  Object.getOwnPropertyNames(ArrayBuffer.prototype).filter((name) => !/mmutable/.test(name) /* newer than Node 22 */).sort().join(),
  Object.getOwnPropertyNames(DataView.prototype).filter((name) => !name.endsWith("Float16") /* newer than Node 22 */).sort().join(),
  TA.prototype.toString === Array.prototype.toString,
  TA.prototype[Symbol.iterator] === TA.prototype.values,
  "TypedArray" in globalThis,
);
