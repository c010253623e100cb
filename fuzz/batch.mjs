// Imports the given modules one after the other and prints, as a JSON array, what each wrote to the console.
import { setImmediate as turn } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const outputs = [];
const write = console.log;
let printed = "";
// The first ends the program on our lane.
process.on("unhandledRejection", (error) => {
  if (!printed.includes("uncaught ")) printed += `uncaught ${error?.name}\n`;
});
for (const file of process.argv.slice(2)) {
  printed = "";
  console.log = (line) => {
    // A console of UTF-8 has no lone surrogates.
    printed += `${line}\n`.toWellFormed();
  };
  try {
    await import(pathToFileURL(file));
    await turn();
  } catch (error) {
    printed += `uncaught ${error?.name}\n`;
  }
  outputs.push(printed);
}
write(JSON.stringify(outputs));
