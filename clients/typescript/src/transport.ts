/** Sends calls: token, tries, faults. */
import { ConnectionFailed, Fault, NotModified, retryAfter } from "./faults.js";
import type { TokenSource } from "./tokens.js";

/** How often a call is tried again, and how many seconds it waits for that at most, each time. */
export interface Retries {
  times: number;
  longestWait: number;
}

const REPEATABLE = new Set(["GET", "HEAD", "PUT", "DELETE"]);
const PASSING = new Set([502, 503, 504]);
const etags = new WeakMap<object, string>();

/** The `ETag` that came with a response, for `ifMatch`; undefined for what was not received, or has none. */
export function etagOf(value: object): string | undefined {
  return etags.get(value);
}

/** What openapi-fetch returns of a call. */
interface Result<T> {
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

  /** What openapi-fetch calls in place of `fetch`. */
  readonly fetch = async (request: Request): Promise<Response> => {
    let usedUp: string | undefined;
    for (let tried = 0; ; ) {
      const token = await this.source(this.baseUrl, usedUp);
      const outcome = await this.try(request, token);
      // The session or the key may have ended early: once, a token that was refused is replaced.
      if (outcome instanceof Response && outcome.status === 401 && token && usedUp === undefined) {
        usedUp = token;
        if ((await this.source(this.baseUrl, usedUp)) !== token) continue;
      }
      const wait = this.nextWait(request, tried, outcome);
      if (wait === undefined) {
        if (outcome instanceof Response) return outcome;
        throw outcome;
      }
      await pause(wait, request.signal);
      tried += 1;
    }
  };

  /** The value of a call; throws `Fault` for a refusal, `NotModified` for a 304. */
  async value<T>(call: Promise<Result<T>>): Promise<T> {
    const { data, error, response } = await call;
    if (response.status === 304) throw new NotModified();
    if (!response.ok) throw new Fault(response, error);
    const etag = response.headers.get("ETag");
    if (etag && typeof data === "object" && data !== null) etags.set(data, etag);
    return data as T;
  }

  private async try(request: Request, token: string | null): Promise<Response | ConnectionFailed> {
    const copy = request.clone();
    if (token) copy.headers.set("Authorization", `Bearer ${token}`);
    try {
      return await this.reach(copy);
    } catch (cause) {
      if (request.signal.aborted) throw cause;
      return new ConnectionFailed(String(cause), { cause });
    }
  }

  /** Seconds to wait for another try; undefined when the outcome stands. What was refused with 429 was not begun. */
  private nextWait(request: Request, tried: number, outcome: Response | ConnectionFailed): number | undefined {
    if (tried >= this.retries.times) return undefined;
    const status = outcome instanceof Response ? outcome.status : undefined;
    const passing = status === 429 || (repeatable(request) && (status === undefined || PASSING.has(status)));
    if (!passing) return undefined;
    const told = outcome instanceof Response ? retryAfter(outcome) : undefined;
    const wait = told ?? Math.min(0.25 * 2 ** tried, this.retries.longestWait) * (0.5 + Math.random() / 2);
    return wait <= this.retries.longestWait ? wait : undefined;
  }
}

/** Waits so many seconds, unless the caller ends the call meanwhile. */
function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, 1000 * seconds);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

/**
 * Whether a try whose outcome is not known may be followed by another one. With `If-Match` it may not: the second one
 * would be refused for what the first one wrote.
 */
function repeatable(request: Request): boolean {
  if (request.headers.has("Idempotency-Key")) return true;
  return REPEATABLE.has(request.method) && !request.headers.has("If-Match");
}
