import { v } from "convex/values";
import { internal } from "./_generated/api";
import { action, internalMutation, query } from "./_generated/server";

const DAY = 86_400_000;

/** Asks a page for its title and keeps it for a while, a day unless the caller says how many milliseconds. */
export const fetchTitle = action({
  args: { url: v.string(), keepFor: v.optional(v.number()) },
  returns: v.string(),
  handler: async (ctx, { url, keepFor = DAY }): Promise<string> => {
    const response = await fetch(url);
    const title = /<title>(.*?)<\/title>/is.exec(await response.text())?.[1].trim() ?? url;
    await ctx.runMutation(internal.previews.keep, { url, title, keepFor });
    return title;
  },
});

export const keep = internalMutation({
  args: { url: v.string(), title: v.string(), keepFor: v.number() },
  handler: async (ctx, { url, title, keepFor }) => {
    await ctx.db.insert("previews", { url, title, expires: Date.now() + keepFor });
  },
});

export const forgetOld = internalMutation({
  args: {},
  handler: async (ctx) => {
    const old = await ctx.db
      .query("previews")
      .withIndex("by_expires", (q) => q.lt("expires", Date.now()))
      .take(100);
    for (const preview of old) {
      await ctx.db.delete(preview._id);
    }
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
