import { leaf } from "./leaf.js";
console.log("lazy is evaluated");
export const value = leaf + 1;
