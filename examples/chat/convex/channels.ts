import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { channelByName } from "./model";

export const create = mutation({
  args: { name: v.string(), topic: v.optional(v.string()), createdBy: v.id("users") },
  handler: async (ctx, { name, topic, createdBy }) => {
    const taken = await ctx.db
      .query("channels")
      .withIndex("by_name", (q) => q.eq("name", name))
      .first();
    if (taken !== null) {
      throw new Error(`There is a channel called "${name}" already`);
    }
    return await ctx.db.insert("channels", { name, topic, createdBy, messageCount: 0 });
  },
});

export const byName = query({
  args: { name: v.string() },
  handler: async (ctx, { name }) => await channelByName(ctx, name),
});

export const list = query({
  args: { order: v.optional(v.union(v.literal("name"), v.literal("busy"))) },
  handler: async (ctx, { order = "name" }) => {
    const channels = await ctx.db.query("channels").collect();
    return order === "busy"
      ? channels.sort((a, b) => b.messageCount - a.messageCount)
      : channels.sort((a, b) => (a.name < b.name ? -1 : 1));
  },
});
