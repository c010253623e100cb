// jose: what of it is synchronous or needs only hashes.
import { base64url, calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, errors, UnsecuredJWT } from "jose";

const show = (name, value) => console.log(name, JSON.stringify(value));
const token = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImEifQ.eyJzdWIiOiIxMjM0IiwibmFtZSI6IkrDvHJnIiwiaWF0IjoxNTE2MjM5MDIyfQ.c2lnbmF0dXJl";

show("decodeJwt", decodeJwt(token));
show("header", decodeProtectedHeader(token));
for (const bad of ["a.b", "", "a.e30.c", 7]) try { show("decoded", decodeJwt(bad)); } catch (error) { show("bad", [error.name, error.code, error.message, error instanceof errors.JOSEError]); }
show("base64url", [base64url.encode("hi ü"), new TextDecoder().decode(base64url.decode("aGkgw7w"))]);
const unsecured = new UnsecuredJWT({ role: "admin" }).setIssuer("me").setAudience("you").setIssuedAt(1700000000).setExpirationTime(1700003600).encode();
show("unsecured", unsecured);
show("decoded", UnsecuredJWT.decode(unsecured, { issuer: "me", audience: "you", currentDate: new Date(1700000100000) }));
for (const options of [{ issuer: "other" }, { currentDate: new Date(1800000000000) }, { audience: "x", currentDate: new Date(1700000100000) }])
  try { UnsecuredJWT.decode(unsecured, options); } catch (error) { show("refused", [error.code, error.claim, error.reason, error.message]); }
calculateJwkThumbprint({ kty: "EC", crv: "P-256", x: "jJ6Flys3zK9jUhnOHf6G49Dyp5hah6CNP84-gY-n9eo", y: "nhI6iD5eFXgBTLt_1p3aip-5VbZeMhxeFSpjfEAf7Ww" }).then((value) => show("thumbprint", value));
