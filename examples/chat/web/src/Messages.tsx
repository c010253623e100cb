import { insertAtTop, useMutation, usePaginatedQuery } from "convex/react";
import type { FormEvent } from "react";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { api } from "../../convex/_generated/api";

const PAGE = 20;

/** The messages of a channel, the newest at the bottom. What is sent is shown at once, before the server has it. */
export function Messages({ channel, user }: { channel: Doc<"channels">; user: { id: Id<"users">; name: string } }) {
  const { results, status, loadMore } = usePaginatedQuery(
    api.messages.page,
    { channel: channel._id },
    { initialNumItems: PAGE },
  );
  const send = useMutation(api.messages.send).withOptimisticUpdate((localStore, { body, author }) => {
    insertAtTop({
      paginatedQuery: api.messages.page,
      argsToMatch: { channel: channel._id },
      localQueryStore: localStore,
      item: {
        _id: `sending-${crypto.randomUUID()}` as Id<"messages">,
        _creationTime: Date.now(),
        channel: channel._id,
        author: author === user.id ? user.name : "somebody",
        body,
        mentions: [],
      },
    });
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const body = String(new FormData(event.currentTarget).get("body")).trim();
    event.currentTarget.reset();
    if (body !== "") void send({ channel: channel.name, author: user.id, body });
  }
  return (
    <section>
      <h2># {channel.name}</h2>
      <ol>
        {results.map(({ _id, author, body }) => (
          <li key={_id} className={_id.startsWith("sending-") ? "sending" : undefined}>
            <b>{author}</b> <span>{body}</span>
          </li>
        ))}
      </ol>
      {status === "CanLoadMore" && <button onClick={() => loadMore(PAGE)}>Older messages</button>}
      <form onSubmit={submit}>
        <input name="body" placeholder="Message" autoFocus autoComplete="off" />
        <button>Send</button>
      </form>
    </section>
  );
}
