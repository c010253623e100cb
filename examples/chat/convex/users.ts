import { v, ConvexError } from "convex/values";
import { z } from "zod";
import { internalMutation, mutation, query } from "./_generated/server";

const profile = z.object({
  name: z.string().trim().min(1, "a name is needed").max(80),
  email: z.email().transform((email) => email.toLowerCase()),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i)
    .optional(),
});

export const register = mutation({
  args: { name: v.string(), email: v.string(), color: v.optional(v.string()) },
  returns: v.id("users"),
  handler: async (ctx, args) => {
    const parsed = profile.safeParse(args);
    if (!parsed.success) {
      throw new ConvexError({
        code: "InvalidProfile",
        issues: parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message })),
      });
    }
    const existing = await ctx.db
      .query("users")
      .withIndex("by_email", (q) => q.eq("email", parsed.data.email))
      .unique();
    if (existing !== null) {
      await ctx.db.patch(existing._id, { name: parsed.data.name, color: parsed.data.color });
      return existing._id;
    }
    return await ctx.db.insert("users", parsed.data);
  },
});

export const get = query({
  args: { id: v.id("users") },
  handler: async (ctx, { id }) => await ctx.db.get(id),
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const users = await ctx.db.query("users").collect();
    return users
      .map(({ _id, name, color = "#888888" }) => ({ _id, name, color }))
      .sort((a, b) => a.name.localeCompare(b.name));
  },
});

/** Only other functions may call this one. */
export const remove = internalMutation({
  args: { id: v.id("users") },
  handler: async (ctx, { id }) => {
    for await (const message of ctx.db.query("messages").withIndex("by_author", (q) => q.eq("author", id))) {
      await ctx.db.delete(message._id);
    }
    await ctx.db.delete(id);
    return null;
  },
});
