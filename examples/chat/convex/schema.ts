import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  users: defineTable({
    name: v.string(),
    email: v.string(),
    color: v.optional(v.string()),
  }).index("by_email", ["email"]),

  channels: defineTable({
    name: v.string(),
    topic: v.optional(v.string()),
    createdBy: v.id("users"),
    messageCount: v.number(),
  }).index("by_name", ["name"]),

  messages: defineTable({
    channel: v.id("channels"),
    author: v.id("users"),
    body: v.string(),
    mentions: v.array(v.id("users")),
    editedAt: v.optional(v.number()),
  })
    .index("by_channel", ["channel"])
    .index("by_author", ["author", "channel"]),

  previews: defineTable({
    url: v.string(),
    title: v.string(),
    expires: v.number(),
  })
    .index("by_url", ["url"])
    .index("by_expires", ["expires"]),

  files: defineTable({
    file: v.id("_storage"),
    name: v.string(),
  }),

  counters: defineTable({
    name: v.string(),
    value: v.number(),
  }).index("by_name", ["name"]),
});
