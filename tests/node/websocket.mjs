// A WebSocket client (RFC 6455) that can also misbehave: send any frame, stop reading, vanish.
import { once } from "node:events";
import { connect } from "node:net";

export const TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10;

/** Opens a connection to a path of a server. */
export async function open(url, path) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.setNoDelay(true);
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  );
  const peer = new Peer(socket);
  await peer.upgraded;
  return peer;
}

class Peer {
  received = Buffer.alloc(0);
  messages = [];
  wake = () => {};
  ended = false;
  constructor(socket) {
    this.socket = socket;
    this.upgraded = new Promise((resolve) => (this.isUpgraded = resolve));
    socket.on("data", (data) => {
      this.received = Buffer.concat([this.received, data]);
      this.isUpgraded = this.isUpgraded && this.takeHeader();
      if (!this.isUpgraded) while (this.takeFrame());
    });
    socket.on("close", () => ((this.ended = true), this.wake(), this.isUpgraded?.()));
  }

  takeHeader() {
    const end = this.received.indexOf("\r\n\r\n");
    if (end < 0) return this.isUpgraded;
    this.received = this.received.subarray(end + 4);
    this.isUpgraded();
  }

  takeFrame() {
    const frame = this.received;
    if (frame.length < 2) return false;
    const short = frame[1] & 127;
    const header = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (frame.length < header) return false;
    const length = short === 127 ? Number(frame.readBigUInt64BE(2)) : short === 126 ? frame.readUInt16BE(2) : short;
    if (frame.length < header + length) return false;
    const content = frame.subarray(header, header + length);
    this.received = frame.subarray(header + length);
    const kind = frame[0] & 15;
    if (kind === PING) this.frame(PONG, content);
    if (kind === TEXT) this.messages.push(JSON.parse(content));
    if (kind === CLOSE) this.messages.push({ closed: content.readUInt16BE(0), reason: content.subarray(2).toString() });
    this.wake();
    return true;
  }

  /** Sends a frame, masked with zeros. */
  frame(kind, content) {
    const length = content.length;
    const header = Buffer.alloc(length < 126 ? 2 : length < 65536 ? 4 : 10);
    header[0] = 0x80 | kind;
    header[1] = 0x80 | (length < 126 ? length : length < 65536 ? 126 : 127);
    if (header.length === 4) header.writeUInt16BE(length, 2);
    if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
    this.socket.write(Buffer.concat([header, Buffer.alloc(4), content]));
  }

  say(message) {
    this.frame(TEXT, Buffer.from(typeof message === "string" ? message : JSON.stringify(message)));
  }

  /** The next message: a parsed object, `{closed, reason}` of a close frame, or null after the end. Pings are passed over. */
  async next() {
    for (;;) {
      const message = this.messages.shift();
      if (message !== undefined && message.type !== "Ping") return message;
      if (message === undefined && this.ended) return null;
      if (message === undefined) await new Promise((resolve) => (this.wake = resolve));
    }
  }

  /** Reads to the end; what was said last before it. */
  async end() {
    const said = [];
    for (let message; (message = await this.next()) !== null; ) said.push(message);
    return said;
  }

  pause() {
    this.socket.pause();
  }

  resume() {
    this.socket.resume();
  }

  /** Goes away without a word. */
  async vanish() {
    if (this.ended) return;
    this.socket.resetAndDestroy();
    await once(this.socket, "close");
  }
}
