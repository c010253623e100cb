// `crypto`: what is determined by its input. Randomness is for actions.

function installCrypto() {
  const random = (caller) => forbid("NoCryptoRngInQueriesOrMutations", "cryptographic randomness", caller);
  class CryptoKey {
    constructor() { throw new TypeError("Illegal constructor"); }
    static { tag(this, "CryptoKey"); }
  }
  const hostKeys = new WeakMap();

  /** A value of the platform as one of this realm. */
  function adopt(value) {
    if (host.isKey(value)) {
      const key = Object.create(CryptoKey.prototype);
      hostKeys.set(key, value);
      for (const name of ["type", "extractable", "algorithm", "usages"]) {
        hide(key, name, typeof value[name] === "object" ? parseJson(stringify(value[name])) : value[name]);
      }
      return key;
    }
    if (host.kindOf(value) === "ArrayBuffer") {
      const copy = new Uint8Array(value.byteLength);
      copy.set(new Uint8Array(value));
      return copy.buffer;
    }
    return typeof value === "object" && value !== null ? parseJson(stringify(value)) : value;
  }

  class SubtleCrypto {
    generateKey() { throw random(this.generateKey); }
    static { tag(this, "SubtleCrypto"); }
  }
  const operations = [
    "digest", "encrypt", "decrypt", "sign", "verify", "importKey", "exportKey", "deriveBits", "deriveKey",
  ];
  for (const name of operations) {
    const operation = (...values) =>
      new Promise((resolve, reject) => {
        const hash = name === "digest" ? host.hash(`${values[0]?.name ?? values[0]}`, values[1]) : undefined;
        if (hash !== undefined) return resolve(adopt(hash));
        const given = values.map((value) => hostKeys.get(value) ?? value);
        if (given[0]?.public !== undefined) given[0] = { ...given[0], public: hostKeys.get(given[0].public) };
        host.subtle(name, given, (value) => resolve(adopt(value)), (error) => {
          const { name, message } = host.describe(error);
          reject(name === "TypeError" ? new TypeError(message) : new DOMException(message, name));
        });
      });
    hide(SubtleCrypto.prototype, name, operation);
  }
  class Crypto {
    #subtle = new SubtleCrypto();
    get subtle() { return this.#subtle; }
    getRandomValues() { throw random(this.getRandomValues); }
    randomUUID() { throw random(this.randomUUID); }
    static { tag(this, "Crypto"); }
  }
  define("crypto", new Crypto());
  define("Crypto", Crypto);
  define("SubtleCrypto", SubtleCrypto);
  define("CryptoKey", CryptoKey);
}
