// convex-helpers and convex-ents: the helpers that run inside functions.
import { asyncMap, nullThrows, omit, pick, pruneNull, withoutSystemFields } from "convex-helpers";
import { partial, literals, nullable, brandedString, deprecated, doc, typedV, validate, parse } from "convex-helpers/validators";
import { zCustomQuery, zid, zodToConvex, zodOutputToConvex } from "convex-helpers/server/zod4";
import { customQuery, customCtx, NoOp } from "convex-helpers/server/customFunctions";
import { filter } from "convex-helpers/server/filter";
import { paginationOptsValidator, queryGeneric, defineSchema, defineTable } from "convex/server";
import { v, convexToJson, jsonToConvex, compareValues, ConvexError } from "convex/values";
import { defineEnt, defineEntSchema, getEntDefinitions } from "convex-ents";
import { z } from "zod";

const show = (name, value) => console.log(name, JSON.stringify(value));

async function main() {
  show("asyncMap", await asyncMap([1, 2, 3], async (n) => n * 2));
  show("objects", [omit({ a: 1, b: 2 }, ["a"]), pick({ a: 1, b: 2 }, ["a"]), pruneNull([1, null, 2]), withoutSystemFields({ _id: 1, _creationTime: 2, x: 3 })]);
  try { nullThrows(null, "nothing there"); } catch (error) { show("nullThrows", [error.name, error.message]); }

  const validator = v.object({ a: v.string(), b: v.optional(v.array(v.union(v.number(), v.null()))), c: literals("x", "y"), d: nullable(v.id("users")), e: brandedString("email"), f: v.record(v.string(), v.any()) });
  show("json", validator.json);
  show("partial", v.object(partial(validator.fields)).json);
  show("validate", [{ a: "s", c: "x", d: null, e: "@", f: {} }, { a: 1, c: "z", d: 3, e: "@", f: {} }, { a: "s", b: [1, "no"], c: "x", d: null, e: "@", f: {} }].map((value) => validate(validator, value)));
  try { validate(validator, { a: 1 }, { throw: true }); } catch (error) { show("throws", [error.name, error.message]); }
  show("parse", parse(v.object({ a: v.number() }), { a: 1, extra: 2 }));

  const schema = defineSchema({ users: defineTable({ name: v.string(), age: v.optional(v.number()) }).index("by_name", ["name"]) });
  show("doc", [doc(schema, "users").json, typedV(schema).id("users").json]);
  show("schema", JSON.parse(schema.export()));

  const zod = z.object({ id: zid("users"), when: z.date().transform((d) => d.getTime()).optional(), tags: z.array(z.enum(["a", "b"])), m: z.record(z.string(), z.number()), u: z.union([z.string(), z.null()]) });
  show("zodToConvex", [zodToConvex(zod.omit({ when: true })).json, zodOutputToConvex(z.object({ n: z.number().default(1) })).json]);

  const query = customQuery(queryGeneric, { args: { token: v.string() }, input: async (_ctx, { token }) => ({ ctx: { user: token.toUpperCase() }, args: {} }) });
  const hello = query({ args: { name: v.string() }, handler: async (ctx, { name }) => `${ctx.user} ${name}` });
  show("custom", [JSON.parse(hello.exportArgs()), await hello._handler({}, { token: "ann", name: "x" })]);
  const counted = zCustomQuery(queryGeneric, NoOp)({ args: { n: z.number().min(3) }, handler: async (_ctx, { n }) => n + 1 });
  show("zod query", [JSON.parse(counted.exportArgs()), await counted._handler({}, { n: 3 })]);
  try { await counted._handler({}, { n: 1 }); } catch (error) { show("zod error", [error instanceof ConvexError, error.data]); }
  show("customCtx", Object.keys(customCtx(async () => ({ a: 1 }))));
  show("filter", typeof filter);

  const ents = defineEntSchema({ users: defineEnt({ name: v.string() }).field("email", v.string(), { unique: true }).edges("posts", { ref: true }), posts: defineEnt({ text: v.string() }).edge("user") });
  show("ents", getEntDefinitions(ents));
  show("ents schema", JSON.parse(ents.export()));

  const values = [null, true, 0, -0, 1.5, NaN, 10n, -1n, "a", "é", new Uint8Array([1, 2, 3]).buffer, [1, [2]], { a: 1, b: undefined }];
  show("convexToJson", values.map((value) => { try { return convexToJson(value); } catch (error) { return error.message; } }));
  show("back", jsonToConvex({ a: { $integer: "AQAAAAAAAAA=" }, b: [{ $bytes: "AQID" }, { $float: "AAAAAAAA+H8=" }] }, (k, x) => x).b.length);
  show("compare", values.slice(0, 11).flatMap((a) => values.slice(0, 11).map((b) => { try { return compareValues(a, b); } catch (error) { return error.message; } })));
  show("paginationOpts", paginationOptsValidator.json);
  show("deprecated", deprecated.json);
}
main();
