// Rarely used classes: the platform's own, behind proxies. A worker whose execution touched one serves no other, since
// what a program does to them would stay.

const BORROWED = [
  "AsyncLocalStorage", "AsyncResource", "Blob", "ByteLengthQueuingStrategy", "CountQueuingStrategy", "File", "FormData",
  "Headers", "ReadableStream", "ReadableStreamBYOBReader", "ReadableStreamDefaultReader", "Request", "Response",
  "TextDecoderStream", "TextEncoderStream", "TransformStream", "WritableStream", "WritableStreamDefaultWriter",
];

function installBorrowed() {
  for (const name of BORROWED) {
    const handler = {};
    for (const trap of Reflect.ownKeys(Reflect)) {
      if (typeof trap === "string") handler[trap] = (target, ...rest) => Reflect[trap](host.borrow(name), ...rest);
    }
    handler.construct = (target, values, newTarget) =>
      Reflect.construct(host.borrow(name), values, newTarget === proxy ? host.borrow(name) : newTarget);
    const proxy = new Proxy(function () {}, handler);
    define(name, proxy);
  }
}
