// Helpers shared by the functions of this app: a plain module without Convex functions of its own.
import { ConvexError } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import type { MutationCtx, QueryCtx } from "./_generated/server";

export const MAX_BODY_LENGTH = 2_000;

export class NotFound extends ConvexError<{ code: "NotFound"; what: string; id: string }> {
  constructor(what: string, id: string) {
    super({ code: "NotFound", what, id });
  }
}

export async function channelByName(ctx: QueryCtx, name: string): Promise<Doc<"channels">> {
  const channel = await ctx.db
    .query("channels")
    .withIndex("by_name", (q) => q.eq("name", name))
    .unique();
  if (channel === null) {
    throw new NotFound("channel", name);
  }
  return channel;
}

export async function mentionsIn(ctx: QueryCtx, body: string): Promise<Id<"users">[]> {
  const emails = [...new Set([...body.matchAll(/@([\w.+-]+@[\w-]+\.[\w.]+)/g)].map((match) => match[1].toLowerCase()))];
  const users = await Promise.all(
    emails.map((email) =>
      ctx.db
        .query("users")
        .withIndex("by_email", (q) => q.eq("email", email))
        .first(),
    ),
  );
  return users.flatMap((user) => (user === null ? [] : [user._id]));
}

export async function addToCounter(ctx: MutationCtx, name: string, by: number): Promise<number> {
  const counter = await ctx.db
    .query("counters")
    .withIndex("by_name", (q) => q.eq("name", name))
    .unique();
  if (counter === null) {
    await ctx.db.insert("counters", { name, value: by });
    return by;
  }
  const value = counter.value + by;
  await ctx.db.patch(counter._id, { value });
  return value;
}
