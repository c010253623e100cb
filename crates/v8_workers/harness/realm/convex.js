// `Convex` and `process.env`.

function errorOf(refusal) {
  const { message, code, data } = parseJson(refusal);
  const error = new Error(message);
  if (data !== undefined) error.data = parseJson(data);
  if (code !== undefined) error.code = code;
  return error;
}

/** The value in a reply of the host, `=value` or `!refusal`. */
function valueOf(reply, caller) {
  if (reply[0] !== "!") return reply.slice(1);
  const error = errorOf(reply.slice(1));
  captureStackTrace(error, caller);
  throw error;
}

function installConvex() {
  const Convex = {
    syscall: function syscall(name, argument) {
      return valueOf(host.syscall(`${name}`, `${argument}`), syscall);
    },
    asyncSyscall: function asyncSyscall(name, argument) {
      const refusal = host.refusal(`${name}`);
      if (refusal !== undefined) valueOf(refusal, asyncSyscall);
      return new Promise((resolve, reject) => host.enqueue(`${name}`, `${argument}`, resolve, reject));
    },
    jsSyscall: function jsSyscall(name, argument) {
      return host.jsSyscall(`${name}`, argument, (reply) => valueOf(reply, jsSyscall));
    },
  };
  define("Convex", Convex);

  const known = { __proto__: null };
  const variable = (name) => {
    if (!(name in known)) {
      const reply = host.variable(name);
      known[name] = reply === "" ? undefined : reply.slice(1);
    }
    return known[name];
  };
  const env = new Proxy({}, {
    get: (target, key) => (key in target || typeof key === "symbol" ? target[key] : variable(key)),
    has: (target, key) => key in target || (typeof key === "string" && variable(key) !== undefined),
    ownKeys: (target) => [...new Set([...parseJson(host.variableNames()), ...Reflect.ownKeys(target)])],
    getOwnPropertyDescriptor(target, key) {
      const own = Reflect.getOwnPropertyDescriptor(target, key);
      const value = own !== undefined || typeof key === "symbol" ? undefined : variable(key);
      return value === undefined ? own : { value, writable: true, enumerable: true, configurable: true };
    },
  });
  define("process", { env });
}
