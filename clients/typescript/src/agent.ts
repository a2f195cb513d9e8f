/** The `User-Agent` header, which names this client. */
import { version } from "./version.js";

/**
 * The `User-Agent` header of a call. Empty in browsers: they set their own, and would send a preflight to other origins
 * because of this header.
 */
export function agentHeaders(): Record<string, string> {
  const { navigator } = globalThis as { navigator?: { userAgent?: string } };
  const inBrowser = navigator?.userAgent?.startsWith("Mozilla/") ?? false;
  return inBrowser ? {} : { "User-Agent": `balcao-client/${version} (typescript)` };
}
