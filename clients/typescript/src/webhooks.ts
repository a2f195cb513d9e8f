/** Verifies that the platform sent a webhook of health units or agents (Standard Webhooks, version 1). */

/** The shortest secret that Standard Webhooks allows, in bytes. The platform's secrets have 32. */
const MIN_SECRET_BYTES = 24;

/** The configured secret cannot verify any webhook: it is missing, malformed or too short. */
export class InvalidSecret extends Error {
  override name = "InvalidSecret";
}

/** The call was not signed with one of the secrets, was changed in transit, or is too old. */
export class InvalidSignature extends Error {
  override name = "InvalidSignature";
}

/** The body of a webhook: a `type` such as `agent.activated`, a time in UTC, and data that depend on the type. */
export interface WebhookEvent {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/**
 * Returns the decoded event of a call that was signed with one of these secrets. Throws `InvalidSignature` for any
 * other call. Throws `InvalidSecret` if your own configuration is wrong: answer 500 then, so that the platform retries.
 *
 * `body` must be the received bytes. Pass the current secret and, during a replacement, the previous one. An event may
 * arrive more than once, always with the same `webhook-id`.
 */
export async function verifyWebhook(
  body: string,
  headers: Headers | Record<string, string>,
  secrets: string[],
  { tolerance = 300, now = Date.now() / 1000 }: { tolerance?: number; now?: number } = {},
): Promise<WebhookEvent> {
  if (secrets.length === 0) throw new InvalidSecret("no secret was given");
  const keys = secrets.map(readSecret);
  const sent = new Headers(headers);
  const [id, stamp, signatures] = ["id", "timestamp", "signature"].map((name) => sent.get(`webhook-${name}`));
  if (!id || !stamp || !signatures || !/^\d+$/.test(stamp)) throw new InvalidSignature("a header is missing or malformed");
  if (Math.abs(now - Number(stamp)) > tolerance) throw new InvalidSignature("the call is too old, or a clock is wrong");
  const signed = new TextEncoder().encode(`${id}.${stamp}.${body}`);
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const text of signatures.split(" ")) {
      // `verify` compares in constant time.
      if (text.startsWith("v1,") && (await crypto.subtle.verify("HMAC", key, decode(text.slice(3)), signed))) {
        return JSON.parse(body) as WebhookEvent;
      }
    }
  }
  throw new InvalidSignature("no signature fits");
}

function readSecret(secret: string): Uint8Array<ArrayBuffer> {
  const key = decode(secret.trim().replace(/^whsec_/, ""));
  if (key.length < MIN_SECRET_BYTES) {
    throw new InvalidSecret(`a secret is "whsec_" and the base64 of at least ${MIN_SECRET_BYTES} bytes`);
  }
  return key;
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
