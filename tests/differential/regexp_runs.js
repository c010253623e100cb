// Patterns that are one repetition, over texts where matches begin, end and fail everywhere.
const texts = ["", "a", "ab cd", "  ab", "été 12ab", "日本 ab_1-c", "x🐇y", "ſK K", "12-34-56", "aAbB\nCd", "\u00ff\u0100ab"];
const patterns = [/\w+/g, /\b\w+\b/g, /\b\w+/g, /\w+\b/g, /\d+/g, /\b\d+\b/g, /[a-c]+/gi, /\w+/giu, /\b\w+/gi, /[^a]+/g, /\s+/g, /\W+/g, /\S+/gu, /\B\w+/g];
for (const pattern of patterns) {
  for (const text of texts) {
    const found = [...text.matchAll(pattern)].map((match) => `${match.index}:${match[0]}`);
    console.log(String(pattern), JSON.stringify(text), found.join("|"), JSON.stringify(text.replace(pattern, "<$&>")), JSON.stringify(text.match(pattern)));
    const sticky = new RegExp(pattern.source, "y" + pattern.flags.replace("g", ""));
    sticky.lastIndex = 1;
    console.log(JSON.stringify(sticky.exec(text)), sticky.lastIndex);
    const again = new RegExp(pattern.source, pattern.flags);
    again.lastIndex = 1;
    console.log(JSON.stringify(again.exec(text)), again.lastIndex);
  }
}
// Methods of strings, which a site finds again.
for (const value of ["ab", "", 5, "cd", true, "ef", Symbol("s"), 7n]) console.log(value.toString(), value.valueOf === Object.prototype.valueOf, typeof value.at);
const call = (value) => value.shout();
String.prototype.shout = function () { return this + "!"; };
console.log(call("a"), call("b"), call(new String("c")));
Object.defineProperty(String.prototype, "shout", { get() { return () => "getter " + this; }, configurable: true });
console.log(call("a"), call("b"));
delete String.prototype.shout;
try { call("a"); } catch (error) { console.log(error.message); }
// Array literals of all lengths.
for (let i = 0; i < 3; i++) {
  const row = [i, , "x", [], [[i]]];
  row.push(row.length);
  console.log(JSON.stringify(row), 1 in row, JSON.stringify([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, i]));
}
