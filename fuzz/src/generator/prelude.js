let fuel = 20000;
export function burn() {
  if (--fuel < 0) throw new RangeError("out of fuel");
}
// Keeps data small, however often a loop adds to it.
export function cut(value) {
  let nodes = 100;
  const small = (part) => {
    if (--nodes < 0) return false;
    if (typeof part === "string") return part.length < 500;
    if (typeof part === "bigint") return part < 2n ** 200n && part > -(2n ** 200n);
    return typeof part !== "object" || part === null || (Array.isArray(part) ? part.length < 60 : true) && Reflect.ownKeys(part).every((key) => {
      const held = Object.getOwnPropertyDescriptor(part, key);
      return !("value" in held) || small(held.value);
    });
  };
  return small(value) ? value : typeof value === "string" ? value.slice(0, 9) : Array.isArray(value) ? value.slice(0, 2).map(cut) : null;
}
// What V8 says of a TypeError depends on how it compiled the expression, and of a SyntaxError on where its parser was: only
// their names are compared, also as text.
Error.prototype.toString = function () {
  return show(this);
};
let shown = 0;
export function show(value, depth = 0) {
  if (++shown > 400) return "…";
  if (typeof value === "string") return JSON.stringify(value.length > 300 ? value.slice(0, 300) + value.length : value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `function ${value.name}/${value.length}`;
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
  if (depth > 3) return "…";
  if (value instanceof Error) return `${value.name}: ${value instanceof TypeError || value instanceof SyntaxError ? "" : value.message}`;
  if (value instanceof RegExp) return `${value}@${value.lastIndex}`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof Map) return `Map{${[...value].slice(0, 40).map(([k, v]) => `${show(k, depth + 1)}=>${show(v, depth + 1)}`)}}`;
  if (value instanceof Set) return `Set{${[...value].slice(0, 40).map((v) => show(v, depth + 1))}}`;
  const prefix = Array.isArray(value) ? `[${value.length}]` : (value.constructor?.name ?? "null");
  const members = Reflect.ownKeys(value).slice(0, 40).map((key) => {
    if (key === "length") return "";
    try {
      return `${String(key)}:${show(value[key], depth + 1)}`;
    } catch (error) {
      return `${String(key)}!${show(error)}`;
    }
  });
  return `${prefix}{${members}}`;
}
export function print(label, value) {
  shown = 0;
  console.log(`${label} ${show(value)}`);
}
export function* take(iterable, count) {
  for (const value of iterable) {
    if (count-- <= 0) return;
    yield value;
  }
}
export function tag(strings, ...values) {
  return strings.raw.join("|") + values.map((value) => show(value)).join("/");
}
