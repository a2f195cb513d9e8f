/** Sends calls with tokens, and retries them. */
import { agentHeaders } from "./agent.js";
import { ConnectionFailed, connectionFailed, Fault, NotModified, retryAfter, UnexpectedResponse } from "./faults.js";
import type { TokenSource } from "./tokens.js";

/** The number of retries of a call, and the maximum wait before each of them, in seconds. */
export interface Retries {
  times: number;
  longestWait: number;
}

const REPEATABLE = new Set(["GET", "HEAD", "PUT", "DELETE"]);
const PASSING = new Set([502, 503, 504]);
const etags = new WeakMap<object, string>();

/** Returns the `ETag` of a received value, for `ifMatch`, or undefined if its response had none. */
export function etagOf(value: object): string | undefined {
  return etags.get(value);
}

/** The result of a call with openapi-fetch. */
export interface Result<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Sends the calls of a client. */
export class Transport {
  constructor(
    private readonly baseUrl: string,
    private readonly source: TokenSource,
    private readonly retries: Retries,
    private readonly reach: typeof fetch,
  ) {}

  /** The function that openapi-fetch calls instead of `fetch`. */
  readonly fetch = (request: Request): Promise<Response> => this.send(request, repeatable(request));

  /** Like `fetch`, for a POST or PATCH that has the same effect however often it is sent. */
  readonly fetchIdempotent = (request: Request): Promise<Response> => this.send(request, true);

  private async send(request: Request, isRepeatable: boolean): Promise<Response> {
    let usedUp: string | undefined;
    for (let tried = 0; ; ) {
      const token = await this.source(this.baseUrl, usedUp);
      const outcome = await this.try(request, token);
      // The session or the signing key may have ended early, so renew a refused token once.
      if (outcome instanceof Response && outcome.status === 401 && token && usedUp === undefined) {
        usedUp = token;
        if ((await this.source(this.baseUrl, usedUp)) !== token) continue;
      }
      const wait = this.nextWait(isRepeatable, tried, outcome);
      if (wait === undefined) {
        if (outcome instanceof Response) return outcome;
        throw outcome;
      }
      await pause(wait, request.signal);
      tried += 1;
    }
  }

  /**
   * Returns the value of a call. Throws `Fault` for an error status, `NotModified` for a 304, and `UnexpectedResponse`
   * for invalid JSON.
   */
  async value<T>(service: string, call: Promise<Result<T>>): Promise<T> {
    const { data, error, response } = await call.catch((cause: unknown) => {
      throw cause instanceof SyntaxError ? new UnexpectedResponse(cause.message, { cause }) : cause;
    });
    if (response.status === 304) throw new NotModified();
    if (!response.ok) throw new Fault(response, error, service);
    const etag = response.headers.get("ETag");
    if (etag && typeof data === "object" && data !== null) etags.set(data, etag);
    return data as T;
  }

  /** Returns the parts of a stream as they arrive. Throws like `value`. */
  async stream(service: string, call: Promise<Result<unknown>>): Promise<ReadableStream<Uint8Array>> {
    const stream = await this.value(service, call);
    const { response } = await call;
    if (isStream(response)) return stream as ReadableStream<Uint8Array>;
    throw new UnexpectedResponse(`this is no stream: ${response.status} ${response.headers.get("Content-Type")}`);
  }

  /** Returns the seconds to wait before another attempt, or undefined once the retries are used up. */
  growing(tried: number, first = 0.25): number | undefined {
    const { times, longestWait } = this.retries;
    return tried < times ? Math.min(first * 2 ** tried, longestWait) * (0.5 + Math.random() / 2) : undefined;
  }

  private async try(request: Request, token: string | null): Promise<Response | ConnectionFailed> {
    const copy = request.clone();
    if (token) copy.headers.set("Authorization", `Bearer ${token}`);
    for (const [name, value] of Object.entries(agentHeaders())) copy.headers.set(name, value);
    try {
      const response = await this.reach(copy);
      // Read the body here, so that a broken body is retried like a failed connection.
      if (response.body === null || isStream(response)) return response;
      return new Response(await response.arrayBuffer(), response);
    } catch (cause) {
      if (request.signal.aborted) throw cause;
      return connectionFailed(cause);
    }
  }

  /**
   * Returns the seconds to wait before another attempt, or undefined if the outcome is final. After a 429 any call may
   * be repeated, because it was not started.
   */
  private nextWait(isRepeatable: boolean, tried: number, outcome: Response | ConnectionFailed): number | undefined {
    const wait = this.growing(tried);
    if (wait === undefined) return undefined;
    const status = outcome instanceof Response ? outcome.status : undefined;
    const passing = status === 429 || (isRepeatable && (status === undefined || PASSING.has(status)));
    if (!passing) return undefined;
    const told = (outcome instanceof Response ? retryAfter(outcome) : undefined) ?? wait;
    return told <= this.retries.longestWait ? told : undefined;
  }
}

function isStream(response: Response): boolean {
  return (response.headers.get("Content-Type") ?? "").startsWith("text/event-stream");
}

/** Waits this many seconds, unless the caller cancels the call. */
export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, 1000 * seconds);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}

/**
 * Returns whether an attempt with an unknown outcome may be repeated. A call with `If-Match` may not, because the first
 * attempt may have changed the record, and the second would be refused.
 */
function repeatable(request: Request): boolean {
  if (request.headers.has("Idempotency-Key")) return true;
  return REPEATABLE.has(request.method) && !request.headers.has("If-Match");
}
