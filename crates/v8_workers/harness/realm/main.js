// The global object of a query or mutation. This text and the other files of the folder are the body of one function of
// `host`, evaluated in every new context; nothing of the platform's realm but primitives leaves it.

const parseJson = JSON.parse;
const stringify = JSON.stringify;
const captureStackTrace = Error.captureStackTrace;
const bind = Function.prototype.call.bind(Function.prototype.bind);
const then = Function.prototype.call.bind(Promise.prototype.then);
const resolved = Promise.resolve.bind(Promise);
const DOMException = defineDomException();

function hide(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });
}

function define(name, value) {
  hide(globalThis, name, value);
}

function tag(Class, name) {
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

installConvex();
installConsole();
installDeterminism();
installForbidden();
installText();
installUrl();
installEvents();
installClone();
installCrypto();
installBorrowed();
define("self", globalThis);
define("queueMicrotask", function queueMicrotask(callback) {
  if (typeof callback !== "function") throw new TypeError("The \"callback\" argument must be of type function.");
  then(resolved(), () => void callback());
});

// The patterns used above leave no trace in `RegExp.lastMatch` and its like.
/(?:)/.exec("");

return {
  errorOf,
  /** Calls a method without a frame of ours below it; tells `done` or `failed` what came of its promise. */
  call(target, method, argument, done, failed) {
    then(then(resolved(argument), bind(target[method], target)), done, failed);
  },
};
