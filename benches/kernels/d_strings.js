// Building, splitting, joining, replacing and slicing text.
export function kernel() {
  let text = "";
  for (let i = 0; i < 8_000; i++) text += String.fromCharCode(97 + (i % 26)) + i + (i % 10 === 9 ? " " : "");
  const words = text.split(" ");
  const titles = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());
  const joined = titles.join("_").replace(/[0-9]{3}/g, "#").replaceAll("b", "BB");
  let sum = joined.length + joined.indexOf("z#") + joined.lastIndexOf("#");
  for (let i = 0; i < joined.length; i += 3) sum = (sum * 31 + joined.charCodeAt(i)) | 0;
  for (let i = 0; i < 2_000; i++) if (`${i}:${titles[i % titles.length]}`.includes("9:")) sum += 1;
  return sum + titles[5].trim().padStart(40, "-").length;
}
