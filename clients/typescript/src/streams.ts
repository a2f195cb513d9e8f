/** Server-sent events, as in the HTML standard. */
import { ConnectionFailed } from "./faults.js";

/** An event of a stream. A later call can resume after its `id` (`lastEventId`). */
export interface ServerEvent {
  name: string;
  data: string;
  id: string;
}

// After this many milliseconds of silence, a stream's connection counts as dead. The platform sends a comment every
// 15 seconds.
const SILENCE = 45_000;

/** A parser for the events of a stream, over several connections. */
export class EventReader {
  /** The pause in seconds between two connections, if the platform requested one. */
  retry: number | undefined;
  /** Whether the current connection has received any data, even if only a comment. */
  heard = false;

  /** The next connection resumes after `lastId`. */
  constructor(public lastId: string) {}

  /** The events of one connection. An event or id that the end of the connection cuts off is dropped. */
  async *read(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
    let name = "";
    let id = this.lastId;
    let data: string[] = [];
    for await (const line of this.lines(stream)) {
      if (line === "") {
        this.lastId = id;
        if (data.length > 0) yield { name: name || "message", data: data.join("\n"), id };
        [name, data] = ["", []];
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") name = value;
      else if (field === "data") data.push(value);
      else if (field === "id" && !value.includes("\0")) id = value;
      else if (field === "retry" && /^\d+$/.test(value)) this.retry = Number(value) / 1000;
    }
  }

  private async *lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
    const reader = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
    let rest = "";
    this.heard = false;
    try {
      for (;;) {
        const { value, done } = await unlessSilent(reader.read());
        if (done) return;
        this.heard = true;
        rest += value;
        // A carriage return at the end may be the first half of a line end.
        const lines = rest.split(/\r\n|\n|\r(?!$)/);
        rest = lines.pop() ?? "";
        yield* lines;
      }
    } finally {
      reader.cancel().catch(() => undefined); // a broken stream cannot be cancelled
    }
  }
}

async function unlessSilent<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ConnectionFailed("the stream fell silent")), SILENCE);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
