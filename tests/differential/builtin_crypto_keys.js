// crypto.subtle with secrets: HMAC, PBKDF2, HKDF.
(async () => {
const hex = (b) => [...new Uint8Array(b)].map(x => x.toString(16).padStart(2, "0")).join("");
const enc = new TextEncoder();
const attempt = async (f) => { try { return await f(); } catch (e) { return `${e.name}: ${e.message}`; } };
for (const hash of ["SHA-1", "sha-256", { name: "SHA-384" }, "SHA-512"]) for (const k of ["key", "k".repeat(200)]) {
  const key = await crypto.subtle.importKey("raw", enc.encode(k), { name: "HMAC", hash }, true, ["sign", "verify"]);
  const sig = await crypto.subtle.sign("HMAC", key, enc.encode("data"));
  console.log(hex(sig), await crypto.subtle.verify({ name: "hmac" }, key, sig, enc.encode("data")), await crypto.subtle.verify("HMAC", key, sig, enc.encode("datb")), await crypto.subtle.verify("HMAC", key, new Uint8Array(3), enc.encode("data")), key.type, key.extractable, key.algorithm.name, key.algorithm.hash.name, key.algorithm.length, key.usages.join(), hex(await crypto.subtle.exportKey("raw", key)).length, Object.prototype.toString.call(key));
}
const k = await crypto.subtle.importKey("raw", enc.encode("x"), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
console.log(await attempt(() => crypto.subtle.sign("HMAC", k, enc.encode("d"))), await attempt(() => crypto.subtle.exportKey("raw", k)), await attempt(() => crypto.subtle.importKey("raw", enc.encode("x"), { name: "HMAC", hash: "SHA-256" }, false, [])), await attempt(() => crypto.subtle.importKey("raw", new Uint8Array(0), { name: "HMAC", hash: "SHA-256" }, false, ["sign"])), k.extractable, await attempt(() => crypto.subtle.importKey("raw", enc.encode("x"), { name: "HMAC", hash: "MD5" }, false, ["sign"])), await attempt(() => crypto.subtle.importKey("raw", enc.encode("x"), { name: "HMAC", hash: "SHA-256" }, false, ["encrypt"])));
const p = await crypto.subtle.importKey("raw", enc.encode("password"), "PBKDF2", false, ["deriveBits", "deriveKey"]);
console.log(hex(await crypto.subtle.deriveBits({ name: "PBKDF2", salt: enc.encode("salt"), iterations: 3, hash: "SHA-256" }, p, 256)), p.algorithm.name, p.usages.join());
const h = await crypto.subtle.importKey("raw", enc.encode("secret"), "HKDF", false, ["deriveBits"]);
console.log(hex(await crypto.subtle.deriveBits({ name: "HKDF", salt: enc.encode("salt"), info: enc.encode("info"), hash: "SHA-512" }, h, 1024)), h.type);
})();
