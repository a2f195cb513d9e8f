/** The name of this client in the `User-Agent` header. */
import { version } from "./version.js";

/**
 * The `User-Agent` header of a call. Empty in a browser, which sets its own, and which would send a preflight to
 * another origin before a call with a header of ours.
 */
export function agentHeaders(): Record<string, string> {
  const { navigator } = globalThis as { navigator?: { userAgent?: string } };
  const inBrowser = navigator?.userAgent?.startsWith("Mozilla/") ?? false;
  return inBrowser ? {} : { "User-Agent": `balcao-client/${version} (typescript)` };
}
