// `URL` and `URLSearchParams` (https://url.spec.whatwg.org): the platform parses, everything handed out is of this realm.

function installUrl() {
  const reset = Symbol("reset");

  class URLSearchParams {
    #pairs = [];
    #changed = undefined;
    constructor(init = "", changed = undefined) {
      if (typeof changed === "function") this.#changed = changed;
      if (typeof init === "object" && init !== null || typeof init === "function") {
        const iterator = init[Symbol.iterator];
        if (iterator === undefined || iterator === null) {
          for (const key of Reflect.ownKeys(init)) {
            if (Reflect.getOwnPropertyDescriptor(init, key)?.enumerable) this.#pairs.push([`${key}`, `${init[key]}`]);
          }
        } else {
          for (const pair of init) {
            const [key, value, ...more] = pair;
            if (value === undefined || more.length > 0) {
              throw new TypeError("Each query pair must be an iterable [name, value] tuple");
            }
            this.#pairs.push([`${key}`, `${value}`]);
          }
        }
      } else {
        this[reset](`${init}`);
      }
    }
    [reset](query) {
      this.#pairs = parseJson(host.parseQuery(query));
    }
    #update() {
      this.#changed?.(`${this}`);
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      this.#pairs.push([`${name}`, `${value}`]);
      this.#update();
    }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(([key, had]) => key !== `${name}` || value !== undefined && had !== `${value}`);
      this.#update();
    }
    get(name) {
      return this.#pairs.find(([key]) => key === `${name}`)?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter(([key]) => key === `${name}`).map(([, value]) => value);
    }
    has(name, value) {
      return this.#pairs.some(([key, had]) => key === `${name}` && (value === undefined || had === `${value}`));
    }
    set(name, value) {
      const index = this.#pairs.findIndex(([key]) => key === `${name}`);
      if (index < 0) return this.append(name, value);
      this.#pairs[index] = [`${name}`, `${value}`];
      this.#pairs = this.#pairs.filter(([key], at) => at <= index || key !== `${name}`);
      this.#update();
    }
    sort() {
      this.#pairs.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
      this.#update();
    }
    forEach(visit, receiver) {
      for (const [key, value] of this.#pairs) visit.call(receiver, value, key, this);
    }
    *entries() {
      for (const [key, value] of this.#pairs) yield [key, value];
    }
    *keys() {
      for (const [key] of this.#pairs) yield key;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return host.formatQuery(stringify(this.#pairs));
    }
    [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
      const shown = this.#pairs.map(([key, value]) => `${inspect(key, options)} => ${inspect(value, options)}`);
      return shown.length === 0 ? "URLSearchParams {}" : `URLSearchParams { ${shown.join(", ")} }`;
    }
    static { tag(this, "URLSearchParams"); }
  }

  class URL {
    #url;
    #params = undefined;
    constructor(url, base) {
      const text = `${url}`;
      const relativeTo = base === undefined ? undefined : `${base}`;
      this.#url = host.parseUrl(text, relativeTo);
      if (this.#url === undefined) {
        const error = new TypeError("Invalid URL");
        error.code = "ERR_INVALID_URL";
        error.input = text;
        if (relativeTo !== undefined) error.base = relativeTo;
        captureStackTrace(error, URL);
        throw error;
      }
    }
    static canParse(url, base) {
      return host.parseUrl(`${url}`, base === undefined ? undefined : `${base}`) !== undefined;
    }
    static parse(url, base) {
      return URL.canParse(url, base) ? new URL(url, base) : null;
    }
    get searchParams() {
      this.#params ??= new URLSearchParams(this.#url.search, (query) => { this.#url.search = query; });
      return this.#params;
    }
    toString() {
      return this.#url.href;
    }
    toJSON() {
      return this.#url.href;
    }
    [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
      const shown = {};
      for (const part of PARTS) if (part !== "hrefs") shown[part] = this[part];
      shown.searchParams = this.searchParams;
      return `URL ${inspect({ href: this.href, origin: this.origin, ...shown }, options)}`;
    }
    static part(name, writable) {
      Object.defineProperty(URL.prototype, name, {
        get() { return this.#url[name]; },
        set: writable
          ? function (value) {
              const text = `${value}`;
              if (name === "href" && !URL.canParse(text)) throw new TypeError("Invalid URL");
              this.#url[name] = text;
              this.#params?.[reset](this.#url.search);
            }
          : undefined,
        enumerable: true,
        configurable: true,
      });
    }
    static { tag(this, "URL"); }
  }
  const PARTS = [
    "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash",
  ];
  for (const part of ["href", ...PARTS]) URL.part(part, true);
  URL.part("origin", false);
  delete URL.part;
  define("URL", URL);
  define("URLSearchParams", URLSearchParams);
}
