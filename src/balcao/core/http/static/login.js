// The authorization code flow with PKCE (RFC 7636). The token is stored only in the memory of the page.
const KEPT = "balcao-login";

const encoded = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

const random = () => encoded(crypto.getRandomValues(new Uint8Array(32)));

const endpoints = async (issuer) => (await fetch(`${issuer}/.well-known/openid-configuration`)).json();

const here = () => location.origin + location.pathname;

// Opens the login page of the identity provider. After the login, the browser returns to this page with a code.
export const logIn = async (issuer, client) => {
  const verifier = random();
  const state = random();
  const challenge = encoded(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  const { authorization_endpoint: address } = await endpoints(issuer);
  sessionStorage.setItem(KEPT, JSON.stringify({ verifier, state, hash: location.hash }));
  const query = {
    client_id: client,
    redirect_uri: here(),
    response_type: "code",
    scope: "openid profile",
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  location.assign(`${address}?${new URLSearchParams(query)}`);
};

// Returns the token, name and CPF of a person who has just returned from the login page, or undefined without a login.
export const finishLogin = async (issuer, client) => {
  const returned = new URLSearchParams(location.search);
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  if (!kept || !returned.has("state")) return undefined;
  sessionStorage.removeItem(KEPT);
  history.replaceState(null, "", location.pathname + kept.hash);
  if (returned.get("state") !== kept.state || !returned.has("code")) throw new Error("not the answer to this login");
  const { token_endpoint: address } = await endpoints(issuer);
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: client,
    redirect_uri: here(),
    code: returned.get("code"),
    code_verifier: kept.verifier,
  });
  const response = await fetch(address, { method: "POST", body });
  if (!response.ok) throw new Error(`the provider answers ${response.status}`);
  const { access_token: token } = await response.json();
  const claims = claimsIn(token);
  return { token, name: claims.name ?? claims.preferred_username ?? claims.sub, cpf: claims.cpf };
};

const claimsIn = (token) => {
  const bytes = Uint8Array.from(atob(token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
};
