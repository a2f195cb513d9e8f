/** The errors of a call. */
import { codes } from "./codes.js";

/** The response did not arrive, or not in time. A write may or may not have been applied. */
export class ConnectionFailed extends Error {
  override name = "ConnectionFailed";
}

/** The response does not belong to the operation. It may come from a proxy or from another platform version. */
export class UnexpectedResponse extends Error {
  override name = "UnexpectedResponse";
}

/** A failed connection, with the messages of all causes, because `fetch failed` does not explain the failure. */
export function connectionFailed(cause: unknown, prefix = ""): ConnectionFailed {
  const words: string[] = [];
  for (let one = cause; one instanceof Error && words.length < 5; one = one.cause) {
    words.push(one.message || String((one as { code?: unknown }).code ?? one.name));
  }
  return new ConnectionFailed(prefix + (words.join(": ") || String(cause)), { cause });
}

/** Nothing changed since the state in `ifNoneMatch`. */
export class NotModified extends Error {
  override name = "NotModified";
}

/** One of several errors of a body or query, if the service lists them. */
export interface Item {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/**
 * The platform refused or failed, with a reason.
 *
 * `code` is stable, so that programs can compare it. `message` is the platform's Portuguese text for people. `remedy`
 * explains in English how to fix the call, if the code is known. Quote `requestId` to the operators of the platform.
 */
export class Fault extends Error {
  override name = "Fault";
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly retryAfter: number | undefined;
  readonly items: Item[];
  readonly remedy: string;

  constructor(
    response: Response,
    readonly body: unknown,
    service = "",
  ) {
    const items = itemsOf(body);
    super(messageOf(body, items) || response.statusText);
    this.status = response.status;
    this.code = response.headers.get("Error-Code") ?? "";
    this.requestId = response.headers.get("X-Request-ID") ?? "";
    this.retryAfter = retryAfter(response);
    this.items = items;
    this.remedy = remedyOf(service, this.code);
  }
}

/**
 * The seconds to wait before the next attempt, if the response contains them. A date is compared with the response's
 * own `Date`, so that a wrong local clock has no effect.
 */
export function retryAfter(response: Response): number | undefined {
  const text = response.headers.get("Retry-After") ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  const until = Date.parse(text);
  const sent = Date.parse(response.headers.get("Date") ?? "");
  return Number.isNaN(until) ? undefined : Math.max(0, until - (Number.isNaN(sent) ? Date.now() : sent)) / 1000;
}

function itemsOf(body: unknown): Item[] {
  const detail = member(body, "detail");
  return Array.isArray(detail) ? (detail as Item[]) : [];
}

function messageOf(body: unknown, items: Item[]): string {
  if (items.length > 0) return items.map((item) => `${item.loc.join(".")}: ${item.msg}`).join("; ");
  for (const name of ["error", "message", "detail", "error_description"]) {
    const text = member(body, name);
    if (typeof text === "string") return text;
  }
  return "";
}

function member(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null ? (body as Record<string, unknown>)[name] : undefined;
}

/** The remedy of a service's code, or of its pattern: `nome-length` matches `<field>-length`. */
function remedyOf(service: string, code: string): string {
  for (const name of [code, `<field>-${code.slice(code.lastIndexOf("-") + 1)}`]) {
    for (const where of [service, "core", "crm"]) {
      const remedy = codes[where]?.[name];
      if (remedy) return remedy;
    }
  }
  return "";
}
