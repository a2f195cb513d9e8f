/**
 * Sources of access tokens. Each caches its token and renews it before it expires. Concurrent callers share a request.
 */
import { agentHeaders } from "./agent.js";
import { connectionFailed, Fault } from "./faults.js";

/** Returns the token for the next call, or null for an anonymous call. `usedUp` is a token that was refused. */
export type TokenSource = (baseUrl: string, usedUp?: string) => Promise<string | null> | string | null;

/**
 * The identity provider refused a login or a token.
 *
 * `error` and `errorDescription` come from the provider (RFC 6749, 5.2), and `status` is its response's status. If this
 * client refused, `status` is undefined: `invalid_nonce` means that the tokens belong to another login.
 */
export class LoginFailed extends Error {
  override name = "LoginFailed";

  constructor(
    readonly error: string,
    readonly errorDescription = "",
    readonly status?: number,
  ) {
    super(errorDescription ? `${error}: ${errorDescription}` : error);
  }
}

/** The person must log in again, because the refresh token has expired or is missing. */
export class LoginEnded extends LoginFailed {
  override name = "LoginEnded";
}

interface Tokens {
  access_token: string;
  expires_in?: number;
  refresh_token?: string;
  id_token?: string;
}

interface Discovered {
  authorization_endpoint: string;
  token_endpoint: string;
  end_session_endpoint?: string;
}

// A token is renewed this many seconds before it expires, or a fifth of its lifetime before, if that is shorter.
const MARGIN = 30;

/** A token that is renewed before it expires. Concurrent callers share one request. */
class Renewed {
  private tokens: Tokens | undefined;
  private renewAt = 0;
  private asking: Promise<string> | undefined;

  constructor(private readonly ask: (baseUrl: string) => Promise<Tokens>) {}

  get idToken(): string | undefined {
    return this.tokens?.id_token;
  }

  keep(tokens: Tokens): string {
    const lasts = tokens.expires_in ?? 60;
    this.renewAt = Date.now() + 1000 * (lasts - Math.min(MARGIN, lasts / 5));
    this.tokens = tokens;
    return tokens.access_token;
  }

  async token(baseUrl: string, usedUp?: string): Promise<string> {
    const kept = this.tokens?.access_token;
    if (kept !== undefined && kept !== usedUp && Date.now() < this.renewAt) return kept;
    this.asking ??= this.ask(baseUrl)
      .then((tokens) => this.keep(tokens))
      .finally(() => (this.asking = undefined));
    return this.asking;
  }
}

/** A machine's own token. `issuer` is the provider's address. The default is the platform's embedded provider. */
export function clientCredentials(client: {
  clientId: string;
  clientSecret: string;
  scope?: string;
  issuer?: string;
  realm?: string;
}): TokenSource {
  const form: Record<string, string> = {
    grant_type: "client_credentials",
    client_id: client.clientId,
    client_secret: client.clientSecret,
  };
  if (client.scope) form.scope = client.scope;
  const renewed = new Renewed(async (baseUrl) => {
    const issuer = client.issuer ?? `${baseUrl}/auth/realms/${client.realm ?? "balcao"}`;
    return await exchange((await discover(issuer)).token_endpoint, form);
  });
  return (baseUrl, usedUp) => renewed.token(baseUrl, usedUp);
}

/** A person's tokens, renewed as long as the provider allows it. Pass the login to a client. */
export class Login {
  private readonly renewed: Renewed;

  constructor(
    issuer: string,
    client: Record<string, string>,
    /** The newest refresh token. Store it, because providers that rotate refresh tokens accept each token once. */
    public refreshToken: string | undefined,
    tokens?: Tokens,
  ) {
    this.renewed = new Renewed(async () => {
      if (!this.refreshToken) throw new LoginEnded("invalid_grant", "there is no refresh token");
      const form = { grant_type: "refresh_token", refresh_token: this.refreshToken, ...client };
      const received = await exchange((await discover(issuer)).token_endpoint, form);
      this.refreshToken = received.refresh_token ?? this.refreshToken;
      return received;
    });
    if (tokens) this.renewed.keep(tokens);
  }

  /** The ID token, which a logout needs. */
  get idToken(): string | undefined {
    return this.renewed.idToken;
  }

  readonly source: TokenSource = (baseUrl, usedUp) => this.renewed.token(baseUrl, usedUp);
}

/** The address for the browser, and the values to store in the browser's session until it returns. */
export interface Start {
  url: string;
  state: string;
  verifier: string;
  nonce: string;
}

/**
 * A person's login by authorization code with PKCE. `start` returns the address for the browser. Store its values in
 * the browser's session. When the browser returns, compare `state`, then call `finish` with `verifier` and `nonce`.
 */
export class CodeFlow {
  private readonly client: Record<string, string>;
  private readonly scope: string;

  constructor(
    private readonly flow: {
      issuer: string;
      clientId: string;
      redirectUri: string;
      clientSecret?: string;
      scope?: string;
    },
  ) {
    this.client = { client_id: flow.clientId };
    this.scope = flow.scope ?? "openid profile";
    if (flow.clientSecret !== undefined) this.client.client_secret = flow.clientSecret;
  }

  async start(): Promise<Start> {
    const [state, verifier, nonce] = [random(), random(), random()] as const;
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    const asked = new URLSearchParams({
      response_type: "code",
      client_id: this.flow.clientId,
      redirect_uri: this.flow.redirectUri,
      scope: this.scope,
      state,
      nonce,
      code_challenge: base64url(new Uint8Array(digest)),
      code_challenge_method: "S256",
    });
    const { authorization_endpoint } = await discover(this.flow.issuer);
    return { url: `${authorization_endpoint}?${asked}`, state, verifier, nonce };
  }

  /**
   * Exchanges the authorization code for the person's login. Throws `LoginFailed` if the provider refuses the
   * code, or if its tokens belong to another login.
   */
  async finish(code: string, verifier: string, nonce: string): Promise<Login> {
    const form = {
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
      redirect_uri: this.flow.redirectUri,
      ...this.client,
    };
    const tokens = await exchange((await discover(this.flow.issuer)).token_endpoint, form);
    // The tokens come directly from the provider over TLS. So only the nonce is compared, and no signature is checked
    // (OpenID Connect Core 3.1.3.7, step 6).
    if (this.scope.split(" ").includes("openid") && (!nonce || nonceOf(tokens.id_token) !== nonce)) {
      throw new LoginFailed("invalid_nonce", "the tokens belong to another login, or have no ID token with its nonce");
    }
    return new Login(this.flow.issuer, this.client, tokens.refresh_token, tokens);
  }

  /** Returns the login of a person whose refresh token was stored earlier. */
  resume(refreshToken: string): Login {
    return new Login(this.flow.issuer, this.client, refreshToken);
  }
}

async function discover(issuer: string): Promise<Discovered> {
  const response = await reach(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  if (!response.ok) throw new Fault(response, await readJson(response));
  return (await response.json()) as Discovered;
}

async function exchange(endpoint: string, form: Record<string, string>): Promise<Tokens> {
  const response = await reach(endpoint, { method: "POST", body: new URLSearchParams(form) });
  if (response.ok) return (await response.json()) as Tokens;
  const body = await readJson(response);
  const { error, error_description } = (body ?? {}) as { error?: unknown; error_description?: unknown };
  if (![400, 401, 403].includes(response.status) || typeof error !== "string") throw new Fault(response, body);
  const hasEnded = form.grant_type === "refresh_token" && error === "invalid_grant";
  const description = typeof error_description === "string" ? error_description : "";
  throw new (hasEnded ? LoginEnded : LoginFailed)(error, description, response.status);
}

async function reach(url: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, headers: agentHeaders() });
  } catch (cause) {
    throw connectionFailed(cause, "identity provider: ");
  }
}

/** Returns the nonce of an ID token, or undefined. The signature is not checked. */
function nonceOf(idToken: string | undefined): unknown {
  try {
    const claims = atob((idToken?.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    return (JSON.parse(claims) as { nonce?: unknown }).nonce;
  } catch {
    return undefined;
  }
}

async function readJson(response: Response): Promise<unknown> {
  return await response.json().catch(() => undefined);
}

function random(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
