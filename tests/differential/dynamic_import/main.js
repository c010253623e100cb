// import() evaluates a module when it is reached, once, and rejects with what its evaluation throws.
console.log("main");
const lazy = import("./lazy.js");
console.log("requested");
console.log((await lazy).value, (await import("./lazy.js")) === (await lazy));
for (let attempt = 0; attempt < 2; attempt++) {
  await import("./failing.js").catch((error) => console.log(error.message));
}
await import("./unlinkable.js").catch((error) => console.log(error.name));
await import("./missing.js").catch((error) => console.log(error instanceof Error));
const { waited } = await import("./waiting.js");
console.log(waited);
