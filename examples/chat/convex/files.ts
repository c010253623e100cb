import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

/** An address to which a client sends a file. */
export const uploadUrl = mutation({
  args: {},
  returns: v.string(),
  handler: async (ctx) => await ctx.storage.generateUploadUrl(),
});

export const share = mutation({
  args: { file: v.id("_storage"), name: v.string() },
  handler: async (ctx, { file, name }) => await ctx.db.insert("files", { file, name }),
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const files = await ctx.db.query("files").collect();
    return await Promise.all(
      files.map(async ({ file, name }) => {
        const stored = await ctx.db.system.get(file);
        return { name, size: stored?.size ?? 0, url: await ctx.storage.getUrl(file) };
      }),
    );
  },
});
