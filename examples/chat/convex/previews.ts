import { v } from "convex/values";
import { internal } from "./_generated/api";
import { action, internalMutation, query } from "./_generated/server";

/** Asks a page for its title and keeps it. */
export const fetchTitle = action({
  args: { url: v.string() },
  returns: v.string(),
  handler: async (ctx, { url }): Promise<string> => {
    const response = await fetch(url);
    const title = /<title>(.*?)<\/title>/is.exec(await response.text())?.[1].trim() ?? url;
    await ctx.runMutation(internal.previews.keep, { url, title });
    return title;
  },
});

export const keep = internalMutation({
  args: { url: v.string(), title: v.string() },
  handler: async (ctx, { url, title }) => {
    await ctx.db.insert("previews", { url, title });
  },
});

export const titleOf = query({
  args: { url: v.string() },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, { url }) => {
    const preview = await ctx.db
      .query("previews")
      .withIndex("by_url", (q) => q.eq("url", url))
      .order("desc")
      .first();
    return preview?.title ?? null;
  },
});
