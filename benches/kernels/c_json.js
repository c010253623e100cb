// JSON of 200 documents, out and back in.
const documents = Array.from({ length: 200 }, (_, i) => ({
  _id: "d" + i * 6_133,
  _creationTime: 1_720_000_000_000 + i * 2.25,
  author: { name: 'Writer "' + i + '"', email: "w" + i + "@example.org" },
  body: "A paragraph with some words in it, number " + i,
  likes: i * 5,
  tags: ["x", "y", "z" + (i % 9)],
  archived: i % 3 === 0,
  parent: null,
}));

export function kernel() {
  const text = JSON.stringify(documents);
  const back = JSON.parse(text);
  let sum = text.length;
  for (const document of back) sum += document.likes + document.tags.length + document.author.name.length;
  return sum;
}
