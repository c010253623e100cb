import { first, order } from "./dependency.js";
order.push("main starts");
const value = await first;
for await (const item of (async function* () { yield "x"; yield "y"; })()) order.push(item);
try {
  await Promise.reject(new Error("refused"));
} catch (error) {
  order.push(error.message);
}
class Named { static [await Promise.resolve("computed")] = 1; }
export const later = () => value;
console.log(order.join(" "), later(), Object.keys(Named));
await null;
console.log(typeof (await import("./dependency.js")).first);
