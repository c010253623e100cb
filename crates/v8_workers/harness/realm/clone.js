// `structuredClone` (https://html.spec.whatwg.org/#structuredserializeinternal), without a transfer list.

function installClone() {
  const cannot = (value) => {
    const shown = typeof value === "object" ? `#<${value.constructor?.name ?? "Object"}>` : String(value);
    return new DOMException(`${shown} could not be cloned.`, "DataCloneError");
  };
  const errors = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  function clone(value, seen) {
    if (typeof value === "symbol" || typeof value === "function") throw cannot(value);
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => (seen.set(value, copy), copy);
    const kind = host.kindOf(value);
    switch (kind) {
      case "Boolean": case "Number": case "String": case "BigInt":
        return keep(Object(value.valueOf()));
      case "Date":
        return keep(new Date(+value));
      case "RegExp":
        return keep(new RegExp(value.source, value.flags));
      case "ArrayBuffer":
        return keep(value.slice(0));
      case "View": {
        const buffer = clone(value.buffer, seen);
        const length = value.length ?? value.byteLength;
        return keep(new globalThis[host.viewName(value)](buffer, value.byteOffset, length));
      }
      case "Map": {
        const copy = keep(new Map());
        for (const [key, item] of [...value]) copy.set(clone(key, seen), clone(item, seen));
        return copy;
      }
      case "Set": {
        const copy = keep(new Set());
        for (const item of [...value]) copy.add(clone(item, seen));
        return copy;
      }
      case "Error": {
        const error = keep(new (errors[value.name] ?? Error)(value.message));
        for (const key of ["stack", "cause"]) {
          if (Object.hasOwn(value, key)) hide(error, key, clone(value[key], seen));
        }
        return error;
      }
      case "Array": {
        const copy = keep(new Array(value.length));
        for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
        return copy;
      }
      case "Object": {
        const copy = keep({});
        for (const key of Object.keys(value)) {
          const item = clone(value[key], seen);
          Object.defineProperty(copy, key, { value: item, writable: true, enumerable: true, configurable: true });
        }
        return copy;
      }
      default:
        throw cannot(value);
    }
  }

  define("structuredClone", function structuredClone(value) { return translated(() => clone(value, new Map())); });
}
