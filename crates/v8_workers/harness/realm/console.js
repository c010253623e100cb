// `console`: lines for the host.

function installConsole() {
  const timers = new Map();
  const label = (name) => (name === undefined ? "default" : `${name}`);
  const elapsed = (name, end, rest) => {
    if (!timers.has(name)) return host.log("warn", `Timer '${name}' does not exist`);
    host.log("info", `${name}: ${host.now() - timers.get(name)}ms${rest.length > 0 ? ` ${host.format(rest)}` : ""}`);
    if (end) timers.delete(name);
  };
  const level = (name) => ({ [name](...values) { host.log(name, host.format(values)); } })[name];
  define("console", {
    debug: level("debug"),
    error: level("error"),
    info: level("info"),
    log: level("log"),
    warn: level("warn"),
    trace(...values) {
      const here = {};
      captureStackTrace(here, this.trace);
      host.log("log", host.format(values) + here.stack.slice(here.stack.indexOf("\n")));
    },
    time(name) {
      if (timers.has(label(name))) host.log("warn", `Timer '${label(name)}' already exists`);
      else timers.set(label(name), host.now());
    },
    timeLog: (name, ...rest) => elapsed(label(name), false, rest),
    timeEnd: (name) => elapsed(label(name), true, []),
  });
}
