export const waited = await Promise.resolve("waited for");
