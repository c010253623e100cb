// Puts the harness together: `modules` by name, loaded when first required. Only the platform's modules are required
// otherwise.
"use strict";
const loaded = { __proto__: null };
const platform = require;
function requireHarness(name) {
  const found = modules[name.replace(/^\.\//, "")];
  if (found === undefined || name.startsWith("node:")) return platform(name);
  const known = loaded[name];
  if (known !== undefined) return known.exports;
  const module = (loaded[name] = { exports: {} });
  found(module, requireHarness);
  return module.exports;
}
