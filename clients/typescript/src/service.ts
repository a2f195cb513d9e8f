/** The base class of the generated services. */
import createClient, { type Client } from "openapi-fetch";

import { ConnectionFailed, connectionFailed } from "./faults.js";
import { EventReader, type ServerEvent } from "./streams.js";
import { pause, type Result, type Transport } from "./transport.js";

/** Options of a call besides its values. */
export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal;
}

/** A service at an address. */
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
   * The events of a stream, over as many connections as necessary. If a connection ends, breaks or falls silent, a new
   * one continues after the last event, as long as the platform answers. A stream that does not resume ends with its
   * connection.
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

/** The items of all pages. The last page is the first one with fewer items than requested. */
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

/** The given headers under their HTTP names. The platform decodes percent-encoded values. */
export function headers(given: Record<string, string | undefined>): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) sent[name] = /^[ -~]*$/.test(value) ? value : encodeURIComponent(value);
  }
  return sent;
}
