// zod 4: parsing, errors, transformations, recursion, coercion, JSON schema.
import { z } from "zod";

const show = (name, value) => console.log(name, JSON.stringify(value, (_key, v) => (typeof v === "bigint" ? `${v}n` : v)));
const check = (name, schema, ...inputs) => {
  for (const input of inputs) {
    const result = schema.safeParse(input);
    show(name, result.success ? { data: result.data } : { issues: result.error.issues });
  }
};

const User = z.object({
  name: z.string().trim().min(1).max(20),
  email: z.email(),
  age: z.number().int().nonnegative().optional(),
  role: z.enum(["admin", "user"]).default("user"),
  tags: z.array(z.string()).max(3),
  site: z.url().nullable(),
});
check("user", User,
  { name: " Ann ", email: "ann@example.com", tags: ["a"], site: null },
  { name: "", email: "nobody", age: 1.5, role: "root", tags: ["a", 1, "b", "c"], site: "no url" },
  null, "text", [], { name: 1 });
check("strict", z.strictObject({ a: z.string() }), { a: "x", b: 1 });
check("loose", z.looseObject({ a: z.string() }), { a: "x", b: 1 });
check("partial", User.partial().pick({ name: true, age: true }), {}, { age: -1 });
check("extend", User.omit({ site: true }).extend({ id: z.uuid() }), { name: "A", email: "a@b.co", tags: [], id: "6ba7b810-9dad-11d1-80b4-00c04fd430c8" });
check("union", z.union([z.string(), z.number()]), "a", 1, true);
check("discriminated", z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("circle"), r: z.number() }),
  z.object({ kind: z.literal("box"), w: z.number(), h: z.number() }),
]), { kind: "circle", r: 1 }, { kind: "box", w: 1 }, { kind: "line" });
check("intersection", z.intersection(z.object({ a: z.number() }), z.object({ b: z.number() })), { a: 1, b: 2 }, { a: 1 });
check("tuple", z.tuple([z.string(), z.number()]).rest(z.boolean()), ["a", 1, true], ["a"], ["a", 1, 2]);
check("record", z.record(z.string(), z.number()), { a: 1 }, { a: "b" });
check("map", z.map(z.string(), z.number()), new Map([["a", 1]]), new Map([[1, "a"]]));
check("set", z.set(z.number()).min(2), new Set([1, 2]), new Set([1]));
check("coerce", z.object({ n: z.coerce.number(), d: z.coerce.date(), b: z.coerce.boolean(), s: z.coerce.string(), i: z.coerce.bigint().transform(String) }),
  { n: "42", d: "2024-02-29T12:00:00Z", b: "", s: 12, i: "9007199254740993" }, { n: "x", d: "y", b: 1, s: null, i: "1" });
check("transform", z.string().transform((s) => s.length).pipe(z.number().min(3)), "abcd", "ab");
check("refine", z.object({ p: z.string(), q: z.string() }).refine((o) => o.p === o.q, { message: "must match", path: ["q"] }), { p: "a", q: "a" }, { p: "a", q: "b" });
check("superRefine", z.array(z.number()).superRefine((xs, ctx) => {
  if (new Set(xs).size !== xs.length) ctx.addIssue({ code: "custom", message: "no duplicates", params: { n: xs.length } });
}), [1, 2], [1, 1]);
check("preprocess", z.preprocess((v) => (typeof v === "string" ? v.split(",") : v), z.array(z.string())), "a,b", 1);
check("catch", z.number().catch(7), 1, "x");
check("formats", z.object({ ip: z.ipv4(), iso: z.iso.datetime(), b64: z.base64(), cuid: z.cuid2(), emoji: z.emoji(), hex: z.string().regex(/^[0-9a-f]+$/u), j: z.jwt() }).partial(),
  { ip: "192.168.0.1", iso: "2024-01-01T00:00:00Z", b64: "aGk=", hex: "ff" }, { ip: "999.1.1.1", iso: "yesterday", b64: "%", hex: "xyz", emoji: "a", j: "a.b" });
check("numbers", z.object({ a: z.number().multipleOf(0.1), b: z.int32(), c: z.number().lt(5), d: z.bigint().positive().transform(String) }).partial(), { a: 0.3, b: 2147483647, c: 4, d: 3n }, { a: 0.35, b: 2147483648, c: 5, d: -1n });

const Category = z.object({ name: z.string(), get children() { return z.array(Category); } });
check("recursive", Category, { name: "a", children: [{ name: "b", children: [] }] }, { name: "a", children: [{ name: 1, children: [] }] });
const Json = z.lazy(() => z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(Json), z.record(z.string(), Json)]));
check("lazy", Json, { a: [1, "b", null, { c: true }] });
check("branded", z.string().brand("Id").readonly(), "x");
check("templateLiteral", z.templateLiteral(["v", z.number(), ".", z.enum(["x", "y"])]), "v1.x", "v.x");
check("stringbool", z.stringbool(), "yes", "off", "maybe");

try { User.parse({}); } catch (error) {
  show("error", [error.name, error instanceof z.ZodError, error instanceof Error]);
  console.log(z.prettifyError(error));
  show("tree", z.treeifyError(error));
  show("flat", z.flattenError(error));
}
show("schema", z.toJSONSchema(User));
show("custom message", z.string({ error: (issue) => (issue.input === undefined ? "required" : "wrong") }).safeParse(undefined).error.issues);
const lucky = z.function({ input: [z.number()], output: z.string() }).implement((n) => "n" + n);
show("function", lucky(3));

async function awaited() {
  const asynchronous = z.string().refine(async (value) => value.length > 2, "too short");
  show("async", [(await asynchronous.safeParseAsync("ab")).success, await asynchronous.parseAsync("abc")]);
}
awaited();
