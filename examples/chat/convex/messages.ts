import { paginationOptsValidator } from "convex/server";
import { v, ConvexError } from "convex/values";
import { asyncMap } from "convex-helpers";
import type { Doc } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";
import { addToCounter, channelByName, MAX_BODY_LENGTH, mentionsIn, NotFound } from "./model";

async function withAuthor(ctx: QueryCtx, message: Doc<"messages">) {
  const author = await ctx.db.get(message.author);
  return { ...message, author: author?.name ?? "somebody who left" };
}

export const send = mutation({
  args: { channel: v.string(), author: v.id("users"), body: v.string() },
  handler: async (ctx, { channel: name, author, body }) => {
    if (body.length > MAX_BODY_LENGTH) {
      throw new ConvexError(`A message has at most ${MAX_BODY_LENGTH} characters`);
    }
    const channel = await channelByName(ctx, name);
    const mentions = await mentionsIn(ctx, body);
    const id = await ctx.db.insert("messages", { channel: channel._id, author, body, mentions });
    await ctx.db.patch(channel._id, { messageCount: channel.messageCount + 1 });
    await addToCounter(ctx, "messages", 1);
    console.log("sent", { channel: name, length: body.length, mentions: mentions.length });
    return id;
  },
});

export const recent = query({
  args: { channel: v.string(), limit: v.optional(v.number()) },
  handler: async (ctx, { channel: name, limit = 20 }) => {
    const channel = await channelByName(ctx, name);
    const messages = await ctx.db
      .query("messages")
      .withIndex("by_channel", (q) => q.eq("channel", channel._id))
      .order("desc")
      .take(limit);
    return await asyncMap(messages.reverse(), (message) => withAuthor(ctx, message));
  },
});

export const page = query({
  args: { channel: v.id("channels"), paginationOpts: paginationOptsValidator },
  handler: async (ctx, { channel, paginationOpts }) => {
    const result = await ctx.db
      .query("messages")
      .withIndex("by_channel", (q) => q.eq("channel", channel))
      .order("desc")
      .paginate(paginationOpts);
    return { ...result, page: await asyncMap(result.page, (message) => withAuthor(ctx, message)) };
  },
});

export const search = query({
  args: { channel: v.id("channels"), word: v.string() },
  handler: async (ctx, { channel, word }) => {
    const found: string[] = [];
    for await (const { body } of ctx.db.query("messages").withIndex("by_channel", (q) => q.eq("channel", channel))) {
      if (body.toLowerCase().includes(word.toLowerCase())) {
        found.push(body);
      }
      if (found.length === 10) {
        break;
      }
    }
    return found;
  },
});

export const edit = mutation({
  args: { id: v.id("messages"), body: v.string() },
  handler: async (ctx, { id, body }) => {
    const message = await ctx.db.get(id);
    if (message === null) {
      throw new NotFound("message", id);
    }
    await ctx.db.replace(id, {
      channel: message.channel,
      author: message.author,
      body,
      mentions: await mentionsIn(ctx, body),
      editedAt: Date.now(),
    });
    return null;
  },
});

export const remove = mutation({
  args: { id: v.id("messages") },
  handler: async (ctx, { id }) => {
    await ctx.db.delete(id);
    return null;
  },
});

/** Messages for each author: a group-by over a whole channel. */
export const statistics = query({
  args: { channel: v.id("channels") },
  handler: async (ctx, { channel }) => {
    const counts = new Map<string, { messages: number; characters: number; last: string }>();
    const messages = await ctx.db
      .query("messages")
      .withIndex("by_channel", (q) => q.eq("channel", channel))
      .filter((q) => q.neq(q.field("body"), ""))
      .collect();
    for (const message of messages) {
      const entry = counts.get(message.author) ?? { messages: 0, characters: 0, last: "" };
      entry.messages += 1;
      entry.characters += message.body.length;
      entry.last = new Date(Math.floor(message._creationTime)).toISOString();
      counts.set(message.author, entry);
    }
    return [...counts].map(([author, entry]) => ({ author, ...entry }));
  },
});
