export { alias as reA, "string export" as "string name" } from "./values.js"; export * from "./stars.js"; export * as ns from "./values.js";
