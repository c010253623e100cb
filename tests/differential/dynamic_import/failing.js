import "./leaf.js";
throw new Error("it fails");
