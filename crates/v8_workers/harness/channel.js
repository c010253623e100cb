// Frames to and from the backend: u32 length of the rest, u32 generation, u8 kind, then fields of u32 length and UTF-8 text;
// numbers are little-endian. The second field of a piece of a stream is bytes. `src/frame.rs` is the other end.
"use strict";
// Actions run without the platform's globals, so what is needed of them is held here.
const { Buffer } = require("node:buffer");
const fs = require("node:fs");
const process = require("node:process");

const HEADER = 9;
const CHUNK = 64 << 10;
const INPUT = 0;
const OUTPUT = 1;

/** What the backend says. */
const COMMAND = { LOAD: 1, RUN: 2, ANSWERS: 3, REPLY: 4, ANSWER: 5, PREPARE: 6, PIECE: 7, END: 8, PULL: 9 };
/** What a worker says. */
const REPORT = {
  READY: 16, WRONG: 17, STARTED: 18, BATCH: 19, ASK: 20, LOG: 21, DONE: 22, FAILED: 23, STUCK: 24, OPERATION: 25,
  PIECE: 26, END: 27, PULL: 28, CANCEL: 29,
};

/** Puts frames together from the bytes that arrive. */
class FrameReader {
  constructor() {
    this.bytes = Buffer.alloc(0);
  }

  push(chunk) {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk]);
  }

  /** The next complete frame, or undefined. */
  next() {
    const { bytes } = this;
    if (bytes.length < HEADER) return undefined;
    const end = 4 + bytes.readUInt32LE(0);
    if (bytes.length < end) return undefined;
    const fields = [];
    for (let at = HEADER; at < end; ) {
      const start = at + 4;
      at = start + bytes.readUInt32LE(at);
      const isBytes = bytes[8] === COMMAND.PIECE && fields.length === 1;
      fields.push(isBytes ? bytes.subarray(start, at) : bytes.utf8Slice(start, at));
    }
    this.bytes = bytes.subarray(end);
    return { generation: bytes.readUInt32LE(4), kind: bytes[8], fields };
  }
}

const reader = new FrameReader();

/** Waits for the next frame, with the whole thread. When the backend is gone, so is the worker. */
function receive(expected) {
  for (;;) {
    const frame = reader.next();
    if (frame !== undefined) {
      if (expected !== undefined && frame.kind !== expected) throw new Error(`command ${frame.kind} came out of turn`);
      return frame;
    }
    const chunk = Buffer.allocUnsafe(CHUNK);
    const length = fs.readSync(INPUT, chunk);
    if (length === 0) process.exit(0);
    reader.push(chunk.subarray(0, length));
  }
}

/** Hands every further frame to `receiver`, by events; answers the socket they come from. */
function listen(receiver) {
  const { Socket } = require("node:net");
  const deliver = () => {
    for (let frame; (frame = reader.next()) !== undefined; ) receiver(frame);
  };
  const input = new Socket({ fd: INPUT, readable: true, writable: false });
  input.on("data", (chunk) => {
    reader.push(chunk);
    deliver();
  });
  input.on("close", () => process.exit(0));
  input.on("error", () => process.exit(0));
  deliver();
  return input;
}

/** Writes a frame, with the whole thread: the backend always reads. */
function send(generation, kind, fields) {
  let length = HEADER;
  const lengths = fields.map((field) => (typeof field === "string" ? Buffer.byteLength(field) : field.length));
  for (const size of lengths) length += 4 + size;
  const frame = Buffer.allocUnsafe(length);
  frame.writeUInt32LE(length - 4, 0);
  frame.writeUInt32LE(generation, 4);
  frame[8] = kind;
  let at = HEADER;
  for (let i = 0; i < fields.length; i++) {
    at = frame.writeUInt32LE(lengths[i], at);
    if (typeof fields[i] === "string") frame.utf8Write(fields[i], at, lengths[i]);
    else frame.set(fields[i], at);
    at += lengths[i];
  }
  for (let written = 0; written < length; ) written += fs.writeSync(OUTPUT, frame, written);
}

module.exports = { COMMAND, REPORT, receive, listen, send };
