// `DOMException`, events and `AbortController` (https://dom.spec.whatwg.org), as far as they need no document.

const LEGACY_CODES = {
  __proto__: null, IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
  NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10, InvalidStateError: 11,
  SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14, InvalidAccessError: 15, TypeMismatchError: 17,
  SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23,
  InvalidNodeTypeError: 24, DataCloneError: 25,
};

function defineDomException() {
  class DOMException extends Error {
    #name;
    constructor(message = "", options = "Error") {
      super(`${message}`);
      const isBag = typeof options === "object" && options !== null;
      this.#name = `${isBag ? options.name ?? "Error" : options}`;
      if (isBag && "cause" in options) hide(this, "cause", options.cause);
    }
    get name() {
      return this.#name;
    }
    get code() {
      return LEGACY_CODES[this.#name] ?? 0;
    }
    static { tag(this, "DOMException"); }
  }
  for (const [name, value] of Object.entries(LEGACY_CODES)) {
    const constant = `${name.replace(/Error$/, "").replace(/([a-z])(?=[A-Z])/g, "$1_").toUpperCase()}_ERR`;
    for (const holder of [DOMException, DOMException.prototype]) {
      Object.defineProperty(holder, constant, { value, enumerable: true });
    }
  }
  return DOMException;
}

function installEvents() {
  define("DOMException", DOMException);

  class Event {
    #type;
    #options;
    #prevented = false;
    target = null;
    currentTarget = null;
    constructor(type, options = {}) {
      this.#type = `${type}`;
      this.#options = { bubbles: false, cancelable: false, composed: false, ...options };
    }
    get type() { return this.#type; }
    get bubbles() { return Boolean(this.#options.bubbles); }
    get cancelable() { return Boolean(this.#options.cancelable); }
    get composed() { return Boolean(this.#options.composed); }
    get defaultPrevented() { return this.#prevented; }
    get timeStamp() { return host.performanceNow(); }
    preventDefault() { if (this.cancelable) this.#prevented = true; }
    stopPropagation() {}
    stopImmediatePropagation() { this[STOPPED] = true; }
    static { tag(this, "Event"); }
  }
  const STOPPED = Symbol("stopped");

  class CustomEvent extends Event {
    #detail;
    constructor(type, options = {}) {
      super(type, options);
      this.#detail = options.detail ?? null;
    }
    get detail() { return this.#detail; }
    static { tag(this, "CustomEvent"); }
  }

  class EventTarget {
    #listeners = [];
    addEventListener(type, listener, options = {}) {
      if (listener === null || listener === undefined || options?.signal?.aborted) return;
      const capture = options === true || Boolean(options?.capture);
      const isSame = (other) => other.type === `${type}` && other.listener === listener && other.capture === capture;
      if (this.#listeners.some(isSame)) return;
      this.#listeners.push({ type: `${type}`, listener, capture, once: Boolean(options?.once) });
      options?.signal?.addEventListener("abort", () => this.removeEventListener(type, listener, options));
    }
    removeEventListener(type, listener, options = {}) {
      const capture = options === true || Boolean(options?.capture);
      this.#listeners = this.#listeners.filter(
        (other) => other.type !== `${type}` || other.listener !== listener || other.capture !== capture,
      );
    }
    dispatchEvent(event) {
      event.target = event.currentTarget = this;
      for (const { type, listener, capture, once } of [...this.#listeners]) {
        if (type !== event.type || event[STOPPED]) continue;
        if (once) this.removeEventListener(type, listener, capture);
        if (typeof listener === "function") listener.call(this, event);
        else listener.handleEvent(event);
      }
      event.currentTarget = null;
      return !event.defaultPrevented;
    }
    static { tag(this, "EventTarget"); }
  }

  const token = Symbol("token");
  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason = undefined;
    onabort = null;
    constructor(given) {
      if (given !== token) throw new TypeError("Illegal constructor");
      super();
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    [token](reason) {
      if (this.#aborted) return;
      this.#aborted = true;
      this.#reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
      const event = new Event("abort");
      this.onabort?.call(this, event);
      this.dispatchEvent(event);
    }
    static abort(reason) {
      const signal = new AbortSignal(token);
      signal[token](reason);
      return signal;
    }
    static any(signals) {
      const signal = new AbortSignal(token);
      for (const other of signals) {
        if (other.aborted) signal[token](other.reason);
        else other.addEventListener("abort", () => signal[token](other.reason), { once: true });
      }
      return signal;
    }
    static timeout() {
      throw forbid("NoSleepInQueriesOrMutations", "`setTimeout`", AbortSignal.timeout);
    }
    static { tag(this, "AbortSignal"); }
  }
  class AbortController {
    #signal = new AbortSignal(token);
    get signal() { return this.#signal; }
    abort(reason) { this.#signal[token](reason); }
    static { tag(this, "AbortController"); }
  }
  for (const [name, value] of Object.entries({ Event, CustomEvent, EventTarget, AbortSignal, AbortController })) {
    define(name, value);
  }
}
