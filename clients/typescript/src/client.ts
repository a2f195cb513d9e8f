/** The client of a platform at an address. */
import { Access } from "./access.js";
import { AgentDocs } from "./agent_docs.js";
import { Agents } from "./agents.js";
import { Employability } from "./employability.js";
import { HealthUnits } from "./health_units.js";
import { Registry } from "./registry.js";
import { Search } from "./search.js";
import type { Login, TokenSource } from "./tokens.js";
import { Transport, type Retries } from "./transport.js";

/** Options of a client besides its address and token. */
export interface Options {
  /** The addresses of services without the gateway, by name: `{ registry: "https://r.example/v1" }`. */
  services?: Partial<Record<ServiceName, string>>;
  /** How often a call is retried if a retry is safe. The default is three times, after at most 30 s each. */
  retries?: Partial<Retries>;
  /** The function that sends a request. The default is the runtime's `fetch`. */
  fetch?: typeof fetch;
}

type ServiceName = "registry" | "employability" | "search" | "access" | "health_units" | "agents" | "agent_docs";

export class Balcao {
  readonly registry: Registry;
  readonly employability: Employability;
  readonly search: Search;
  readonly access: Access;
  readonly healthUnits: HealthUnits;
  readonly agents: Agents;
  readonly agentDocs: AgentDocs;

  /** `token` is an access token, a function that returns one, or the result of `clientCredentials` or a `Login`. */
  constructor(baseUrl: string, token: string | TokenSource | Login | null = null, options: Options = {}) {
    const base = baseUrl.replace(/\/$/, "");
    const retries = { times: 3, longestWait: 30, ...options.retries };
    const transport = new Transport(base, sourceOf(token), retries, options.fetch ?? ((request) => fetch(request)));
    const at = (name: ServiceName, prefix: string): string => options.services?.[name] ?? base + prefix;
    this.registry = new Registry(transport, at("registry", Registry.prefix));
    this.employability = new Employability(transport, at("employability", Employability.prefix));
    this.search = new Search(transport, at("search", Search.prefix));
    this.access = new Access(transport, at("access", Access.prefix));
    this.healthUnits = new HealthUnits(transport, at("health_units", HealthUnits.prefix));
    this.agents = new Agents(transport, at("agents", Agents.prefix));
    this.agentDocs = new AgentDocs(transport, at("agent_docs", AgentDocs.prefix));
  }
}

function sourceOf(token: string | TokenSource | Login | null): TokenSource {
  if (typeof token === "function") return token;
  return typeof token === "object" && token !== null ? token.source : () => token;
}
