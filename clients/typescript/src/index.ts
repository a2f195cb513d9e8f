/**
 * Client of Balcão, for browsers and Node.
 *
 *     const balcao = new Balcao("https://cidade.example", clientCredentials({ clientId: "portal", clientSecret }));
 *     const preferences = await balcao.registry.readPreferences("90000000175");
 */
export { Balcao, type Options } from "./client.js";
export { ConnectionFailed, Fault, NotModified, UnexpectedResponse } from "./faults.js";
export { etagOf, type Retries } from "./transport.js";
export { type ServerEvent } from "./streams.js";
export { clientCredentials, CodeFlow, Login, LoginEnded, LoginFailed, type Start, type TokenSource } from "./tokens.js";
export { InvalidSecret, InvalidSignature, verifyWebhook, type WebhookEvent } from "./webhooks.js";
export type { Schemas as AccessSchemas } from "./access.js";
export type { Schemas as AgentDocsSchemas } from "./agent_docs.js";
export type { Schemas as AgentsSchemas } from "./agents.js";
export type { Schemas as EmployabilitySchemas } from "./employability.js";
export type { Schemas as HealthUnitsSchemas } from "./health_units.js";
export type { Schemas as RegistrySchemas } from "./registry.js";
export type { Schemas as SearchSchemas } from "./search.js";
