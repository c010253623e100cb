// What test262 expects of its host (INTERPRETING.md, "Host-Defined Functions"), as far as there is such a thing here.
var print = console.log;
var $262 = {
  global: globalThis,
  gc() {},
  detachArrayBuffer: (transfer => buffer => void (buffer.detached || transfer.call(buffer)))(ArrayBuffer.prototype.transfer),
  createRealm() {
    throw new Error("there is only one realm");
  },
  evalScript() {
    throw new Error("scripts are compiled ahead of time");
  },
};
