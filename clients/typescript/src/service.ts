/** What the generated services stand on. */
import createClient, { type Client } from "openapi-fetch";

import { ConnectionFailed, connectionFailed } from "./faults.js";
import { EventReader, type ServerEvent } from "./streams.js";
import { pause, type Result, type Transport } from "./transport.js";

/** What a caller may say of a call besides its values. */
export interface CallOptions {
  /** Ends the call early. */
  signal?: AbortSignal;
}

/** The operations of a service at an address. */
export abstract class Service<Paths extends object> {
  protected abstract readonly name: string;
  protected readonly http: Client<Paths>;

  constructor(
    protected readonly transport: Transport,
    base: string,
  ) {
    this.http = createClient<Paths>({ baseUrl: base, fetch: transport.fetch });
  }

  /**
   * The events of a stream, over as many connections as it takes: one that ends, breaks or falls silent is opened again
   * after the last event, as long as the platform answers. One that does not resume ends with its connection.
   */
  protected async *events(
    open: (lastEventId?: string) => Promise<Result<unknown>>,
    { lastEventId, signal, resumes }: { lastEventId?: string | undefined; signal?: AbortSignal | undefined; resumes: boolean },
  ): AsyncGenerator<ServerEvent> {
    const reader = new EventReader(lastEventId ?? "");
    for (let tried = 0; ; tried += 1) {
      const stream = await this.transport.stream(this.name, open(reader.lastId || undefined));
      let broken: ConnectionFailed | undefined;
      try {
        yield* reader.read(stream);
      } catch (cause) {
        if (signal?.aborted) throw cause;
        broken = cause instanceof ConnectionFailed ? cause : connectionFailed(cause);
      }
      if (reader.heard) tried = 0;
      const wait = resumes ? this.transport.growing(tried, reader.retry) : undefined;
      if (wait === undefined) {
        if (broken) throw broken;
        if (!resumes || tried === 0) return;
        throw new ConnectionFailed("the stream ends without an event whenever it is opened");
      }
      await pause(wait, signal);
    }
  }
}

/** The items of all pages; the last one is that with fewer items than were asked for. */
export async function* iterate<T>(
  read: (place: number) => Promise<readonly T[] | null | undefined>,
  first: number,
  step: number,
  size: number,
): AsyncGenerator<T> {
  for (let place = first; ; place += step) {
    const items = (await read(place)) ?? [];
    yield* items;
    if (items.length < size) return;
  }
}

/** The headers that are given, under their names on the wire; the platform decodes what is percent-encoded. */
export function headers(given: Record<string, string | undefined>): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) sent[name] = /^[ -~]*$/.test(value) ? value : encodeURIComponent(value);
  }
  return sent;
}
