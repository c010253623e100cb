// Regular expressions over 1,000 strings.
const texts = Array.from({ length: 1_000 }, (_, i) =>
  i % 3 === 0
    ? `person${i}@mail${i % 5}.example.net`
    : i % 3 === 1
      ? `2025-0${(i % 9) + 1}-2${i % 10}T08:15:45Z`
      : `a line of text, number ${i}, with (some) words ${i * 3}`,
);
const EMAIL = /^([a-z0-9._]+)@([a-z0-9-]+(?:\.[a-z0-9-]+)*)\.([a-z]{2,})$/;
const DATE = /(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})/;
const WORD = /\b\w+\b/g;

export function kernel() {
  let sum = 0;
  for (const text of texts) {
    if (EMAIL.test(text)) sum += 1;
    const date = DATE.exec(text);
    if (date !== null) sum += Number(date[2]) + Number(date[3]);
    sum += text.match(WORD)?.length ?? 0;
    sum += text.replace(/[aeiou]/g, "*").length;
  }
  return sum;
}
