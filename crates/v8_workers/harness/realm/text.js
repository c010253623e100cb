// Text encodings (https://encoding.spec.whatwg.org) and base 64, on the platform's own, with values of this realm.

/** Does it, with errors of the platform (a full stack, say) as errors of this realm. */
function translated(work) {
  try {
    return work();
  } catch (error) {
    if (!host.isForeign(error)) throw error;
    const { name, message } = host.describe(error);
    if (name === "TypeError") throw new TypeError(message);
    if (name === "RangeError") throw new RangeError(message);
    throw new DOMException(message, name);
  }
}

function installText() {
  define("TextEncoder", class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(input = "") {
      const text = `${input}`;
      const bytes = new Uint8Array(host.utf8Length(text));
      host.encodeInto(text, bytes);
      return bytes;
    }
    encodeInto(source, destination) {
      return { ...translated(() => host.encodeInto(`${source}`, destination)) };
    }
    static { tag(this, "TextEncoder"); }
  });
  define("TextDecoder", class TextDecoder {
    #decoder;
    constructor(encoding = "utf-8", options = {}) {
      this.#decoder = translated(() => host.decoder(`${encoding}`, options));
    }
    get encoding() {
      return this.#decoder.encoding;
    }
    get fatal() {
      return this.#decoder.fatal;
    }
    get ignoreBOM() {
      return this.#decoder.ignoreBOM;
    }
    decode(input, options = {}) {
      return translated(() => this.#decoder.decode(input, options));
    }
    static { tag(this, "TextDecoder"); }
  });
  define("atob", function atob(text) { return translated(() => host.atob(`${text}`)); });
  define("btoa", function btoa(text) { return translated(() => host.btoa(`${text}`)); });
}
