/** How a call names this client. */
import { version } from "./version.js";

/**
 * The `User-Agent` of a call; none in a browser, which names itself and would ask another origin for leave (preflight)
 * before a call with a header of ours.
 */
export function agentHeaders(): Record<string, string> {
  const { navigator } = globalThis as { navigator?: { userAgent?: string } };
  const inBrowser = navigator?.userAgent?.startsWith("Mozilla/") ?? false;
  return inBrowser ? {} : { "User-Agent": `balcao-client/${version} (typescript)` };
}
