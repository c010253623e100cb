// An identity provider for tests. It writes its address and serves until its standard input ends:
//   GET  /.well-known/openid-configuration, /jwks   what an OpenID provider publishes
//   GET  /fetched                                   how often the keys were asked for
//   POST /sign  {"alg", "kid"?, "claims"}           a signed token; `kid: null` leaves it out
//   POST /rotate                                    makes new keys under new names
import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";

const KINDS = { RS256: ["rsa", { modulusLength: 2048 }], ES256: ["ec", { namedCurve: "P-256" }], EdDSA: ["ed25519", {}] };
let generation = 0;
let keys = makeKeys();
let fetched = 0;

function makeKeys() {
  generation++;
  return Object.entries(KINDS).map(([alg, [kind, options]]) => ({
    alg,
    kid: `${alg}-${generation}`,
    ...generateKeyPairSync(kind, options),
  }));
}

const encode = (data) => Buffer.from(data).toString("base64url");

function token({ alg, kid, claims }) {
  const key = keys.find((key) => key.alg === alg);
  const header = { alg, typ: "JWT", ...(kid === null ? {} : { kid: kid ?? key.kid }) };
  const signed = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(claims))}`;
  const digest = alg === "EdDSA" ? null : "sha256";
  return `${signed}.${encode(sign(digest, Buffer.from(signed), { key: key.privateKey, dsaEncoding: "ieee-p1363" }))}`;
}

function jwks() {
  fetched++;
  return { keys: keys.map(({ alg, kid, publicKey }) => ({ ...publicKey.export({ format: "jwk" }), alg, kid, use: "sig" })) };
}

const server = createServer(async (request, response) => {
  const issuer = `http://${request.headers.host}`;
  let body = "";
  for await (const chunk of request) body += chunk;
  const answers = {
    "/.well-known/openid-configuration": () => ({ issuer, jwks_uri: `${issuer}/jwks` }),
    "/jwks": jwks,
    "/fetched": () => fetched,
    "/sign": () => token(JSON.parse(body)),
    "/rotate": () => ((keys = makeKeys()), null),
  };
  const answer = answers[request.url];
  response.writeHead(answer ? 200 : 404, { "content-type": request.url === "/text" ? "text/plain" : "application/json" });
  response.end(JSON.stringify(answer?.() ?? null));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().on("end", () => process.exit());
