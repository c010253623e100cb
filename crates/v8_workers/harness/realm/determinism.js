// Clock and randomness of the execution; memory that is never seen to be collected.

const construct = Reflect.construct;

function constructOrCall(System, values, newTarget) {
  return newTarget === undefined ? System(...values) : construct(System, values, newTarget);
}

/** Puts a constructor in front of a built-in one; its prototype and static methods stay. */
function replaceConstructor(name, create) {
  const System = globalThis[name];
  function Replacement(...values) {
    return create(values, new.target, System);
  }
  for (const key of Reflect.ownKeys(System)) {
    const property = Reflect.getOwnPropertyDescriptor(System, key);
    Object.defineProperty(Replacement, key, key === "prototype" ? { ...property, writable: false } : property);
  }
  hide(System.prototype, "constructor", Replacement);
  define(name, Replacement);
}

function installDeterminism() {
  const System = Date;
  replaceConstructor("Date", (values, newTarget) => {
    if (newTarget === undefined) return new System(host.now()).toString();
    return construct(System, values.length === 0 ? [host.now()] : values, newTarget);
  });
  hide(Date, "now", function now() { return host.now(); });

  const held = [];
  replaceConstructor("WeakRef", (values, newTarget, System) => {
    const reference = constructOrCall(System, values, newTarget);
    held.push(values[0]);
    return reference;
  });
  replaceConstructor("FinalizationRegistry", ([cleanup], newTarget, System) =>
    constructOrCall(System, [typeof cleanup === "function" ? () => {} : cleanup], newTarget),
  );

  for (const name of ["dispose", "asyncDispose"]) {
    if (!(name in Symbol)) Object.defineProperty(Symbol, name, { value: Symbol(`Symbol.${name}`) });
  }
  Object.defineProperty(Math, "random", { value: function random() { return host.random(); } });
  define("performance", { now: () => host.performanceNow(), timeOrigin: 0 });
}
