import { useMutation, useQuery } from "convex/react";
import { type FormEvent, useState } from "react";
import type { Id } from "../../convex/_generated/dataModel";
import { api } from "../../convex/_generated/api";
import { Messages } from "./Messages";

export function App() {
  const [user, setUser] = useState<{ id: Id<"users">; name: string }>();
  return user === undefined ? <SignIn onUser={setUser} /> : <Chat user={user} />;
}

function SignIn({ onUser }: { onUser: (user: { id: Id<"users">; name: string }) => void }) {
  const register = useMutation(api.users.register);
  const [error, setError] = useState("");
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [name, email] = [String(form.get("name")), String(form.get("email"))];
    try {
      onUser({ id: await register({ name, email }), name });
    } catch {
      setError("Please give a name and an e-mail address.");
    }
  }
  return (
    <form className="sign-in" onSubmit={submit}>
      <h1>Chat</h1>
      <input name="name" placeholder="Name" autoFocus />
      <input name="email" placeholder="E-mail" />
      <button>Enter</button>
      <p role="alert">{error}</p>
    </form>
  );
}

function Chat({ user }: { user: { id: Id<"users">; name: string } }) {
  const channels = useQuery(api.channels.list, {});
  const create = useMutation(api.channels.create);
  const [chosen, setChosen] = useState<string>();
  const channel = channels?.find(({ name }) => name === chosen) ?? channels?.[0];
  function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("channel")).trim();
    event.currentTarget.reset();
    if (name !== "") void create({ name, createdBy: user.id }).then(() => setChosen(name));
  }
  return (
    <main>
      <nav>
        {channels?.map(({ _id, name, messageCount }) => (
          <button key={_id} aria-current={_id === channel?._id} onClick={() => setChosen(name)}>
            # {name} <small>{messageCount}</small>
          </button>
        ))}
        <form onSubmit={add}>
          <input name="channel" placeholder="New channel" />
        </form>
      </nav>
      {channel && <Messages key={channel._id} channel={channel} user={user} />}
    </main>
  );
}
