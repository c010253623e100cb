console.log("leaf is evaluated");
export const leaf = 41;
