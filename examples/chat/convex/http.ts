import { httpRouter } from "convex/server";
import { api } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

/** A webhook: other systems write messages. */
http.route({
  path: "/messages",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const { channel, author, body } = await request.json();
    const id = await ctx.runMutation(api.messages.send, { channel, author, body });
    return Response.json({ id }, { status: 201 });
  }),
});

/** The last messages of a channel, as text. */
http.route({
  pathPrefix: "/channels/",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const channel = decodeURIComponent(new URL(request.url).pathname.slice("/channels/".length));
    const messages = await ctx.runQuery(api.messages.recent, { channel });
    const lines = messages.map(({ author, body }) => `${author}: ${body}\n`);
    return new Response(lines.join(""), { headers: { "Content-Type": "text/plain; charset=utf-8" } });
  }),
});

export default http;
