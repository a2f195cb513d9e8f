/** What the generated services stand on. */
import createClient, { type Client } from "openapi-fetch";

import { readEvents, type ServerEvent } from "./streams.js";
import type { Transport } from "./transport.js";

/** What a caller may say of a call besides its values. */
export interface CallOptions {
  /** Ends the call early. */
  signal?: AbortSignal;
}

/** The operations of a service at an address. */
export abstract class Service<Paths extends object> {
  protected readonly http: Client<Paths>;

  constructor(
    protected readonly transport: Transport,
    base: string,
  ) {
    this.http = createClient<Paths>({ baseUrl: base, fetch: transport.fetch });
  }

  protected async *events(
    call: Promise<{ data?: unknown; error?: unknown; response: Response }>,
  ): AsyncGenerator<ServerEvent> {
    yield* readEvents((await this.transport.value(call)) as ReadableStream<Uint8Array>);
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
