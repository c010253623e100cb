export const order = ["dependency starts"];
await Promise.resolve();
order.push("dependency goes on");
export const first = Promise.resolve(42);
