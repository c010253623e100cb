import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";
import { addToCounter } from "./model";

/** Every caller reads and writes the same document: under load, transactions conflict and are retried. */
export const increment = mutation({
  args: { name: v.string() },
  returns: v.number(),
  handler: async (ctx, { name }) => await addToCounter(ctx, name, 1),
});

export const value = query({
  args: { name: v.string() },
  returns: v.number(),
  handler: async (ctx, { name }) => {
    const counter = await ctx.db
      .query("counters")
      .withIndex("by_name", (q) => q.eq("name", name))
      .unique();
    return counter?.value ?? 0;
  },
});

export const set = internalMutation({
  args: { name: v.string(), value: v.number() },
  handler: async (ctx, { name, value }) => {
    const current = await addToCounter(ctx, name, 0);
    return await addToCounter(ctx, name, value - current);
  },
});

/** Calls an internal mutation inside its own transaction. */
export const reset = mutation({
  args: { name: v.string() },
  handler: async (ctx, { name }): Promise<number> => await ctx.runMutation(internal.counters.set, { name, value: 0 }),
});

export const add = internalMutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) => {
    await addToCounter(ctx, name, 1);
  },
});

/** Adds to a counter later, each time in a transaction of its own. */
export const addLater = mutation({
  args: { name: v.string(), times: v.number() },
  handler: async (ctx, { name, times }) => {
    for (let i = 0; i < times; i++) {
      await ctx.scheduler.runAfter(0, internal.counters.add, { name });
    }
  },
});
