// The runtime layer of our TypeScript client: tokens, retries, versions, pages, streams, webhooks.
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { createServer } from "node:http";
import { after, beforeEach, test } from "node:test";

import { Balcao, clientCredentials, CodeFlow, ConnectionFailed, etagOf, Fault, InvalidSecret, InvalidSignature, LoginEnded, LoginFailed, NotModified, verifyWebhook } from "@balcao/client";

const CPF = "90000000175";
const BRAND = { id: "0190a1b2-0000-7000-8000-000000000001", name: "Maresia", is_other: false, deleted_at: null };
const PREFERENCES = { cpf: CPF, opt_in: true, category_opt_ins: {}, updated_at: "2026-11-27T12:00:00Z" };
const CHANGE = { opt_in: false, channel: "web" };
const SECRET = "whsec_" + "A".repeat(32);
const FORMER = "whsec_" + "b".repeat(32);

// `answers` are the next responses of platform and provider. `received` are the requests, and `waits` the waits in
// seconds.
let answers, received, waits;
const play = async (input, init) => {
  const request = new Request(input, init);
  received.push({ request, text: await request.clone().text() });
  assert.ok(answers.length > 0, `unexpected ${request.method} ${request.url}`);
  const next = answers.length > 1 ? answers.shift() : answers[0];
  if (next instanceof Error) throw next;
  return next.clone();
};
const answer = (status, body, headers = {}) =>
  new Response(body === undefined ? null : JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
const balcaoOf = (token = "token") => new Balcao("http://127.0.0.1:1", token);
const sent = (header) => received.map(({ request }) => request.headers.get(header));

const real = { fetch: globalThis.fetch, setTimeout: globalThis.setTimeout, now: Date.now };
globalThis.fetch = play;
// Waits are skipped. Only the timeout of a silent stream is real, and a test sets its length in milliseconds.
const SILENCE = 45_000;
let patience = 60_000;
const timer = (act, milliseconds) => {
  if (milliseconds === SILENCE) return real.setTimeout(act, patience);
  waits.push(milliseconds / 1000);
  return real.setTimeout(act, 0);
};
globalThis.setTimeout = timer;
beforeEach(() => {
  [answers, received, waits] = [[], [], []];
  Date.now = real.now;
});
after(() => Object.assign(globalThis, { fetch: real.fetch, setTimeout: real.setTimeout }));

test("a creation is retried with the same key after each Retry-After", async () => {
  answers = [answer(503, undefined, { "Retry-After": "7" }), answer(429, undefined, { "Retry-After": "3" }), answer(201, BRAND)];
  const balcao = balcaoOf();
  assert.equal((await balcao.registry.addVehicleBrand({ name: "Maresia" })).name, "Maresia");
  await balcao.registry.addVehicleBrand({ name: "Maresia" });
  assert.deepEqual(waits, [7, 3]);
  const keys = sent("Idempotency-Key");
  assert.equal(keys.length, 4);
  assert.ok(keys[0]);
  assert.deepEqual(new Set(keys.slice(0, 3)), new Set([keys[0]]));
  assert.notEqual(keys[3], keys[0]);
  assert.deepEqual(received.map(({ text }) => text), Array(4).fill('{"name":"Maresia"}'));
});

test("the caller's own key is sent unchanged", async () => {
  answers = [answer(201, BRAND)];
  await balcaoOf().registry.addVehicleBrand({ name: "Maresia" }, { idempotencyKey: "pedido-4711" });
  assert.deepEqual(sent("Idempotency-Key"), ["pedido-4711"]);
});

test("a call fails instead of waiting longer than the client's limit", async () => {
  answers = [answer(429, { error: "Devagar." }, { "Retry-After": "31", "Error-Code": "too-many" })];
  const refused = await balcaoOf().registry.readPreferences(CPF).catch((fault) => fault);
  assert.ok(refused instanceof Fault);
  assert.deepEqual([refused.status, refused.retryAfter, refused.code, refused.message], [429, 31, "too-many", "Devagar."]);
  assert.deepEqual([received.length, waits], [1, []]);
});

test("without Retry-After, the waits grow and the retries end", async () => {
  answers = [answer(502)];
  await assert.rejects(balcaoOf().registry.readPreferences(CPF), { status: 502 });
  assert.deepEqual([received.length, waits.length], [4, 3]);
  [0.25, 0.5, 1].forEach((longest, place) => assert.ok(waits[place] >= longest / 2 && waits[place] <= longest));
});

for (const [name, act] of [
  ["a write of one version", (balcao) => balcao.registry.changePreferences(CPF, CHANGE, { ifMatch: '"1"' })],
  ["a post without a key", (balcao) => balcao.healthUnits.issueStreamTicket()],
]) {
  test(`a request that may have been applied is not sent again: ${name}`, async () => {
    answers = [answer(503, undefined, { "Retry-After": "1" })];
    await assert.rejects(act(balcaoOf()), { status: 503 });
    assert.deepEqual([received.length, waits], [1, []]);
    answers = [new TypeError("fetch failed")];
    await assert.rejects(act(balcaoOf()), ConnectionFailed);
    assert.deepEqual([received.length, waits], [2, []]);
    answers = [answer(429, undefined, { "Retry-After": "1" })]; // 429 means that the call was not started
    await assert.rejects(act(balcaoOf()), { status: 429 });
    assert.deepEqual([received.length, waits], [6, [1, 1, 1]]);
  });
}

test("without a response, a call fails with ConnectionFailed", async () => {
  answers = [new TypeError("fetch failed")];
  await assert.rejects(balcaoOf().registry.listGenderOptions(), ConnectionFailed);
  assert.equal(received.length, 4);
});

test("a cancelled call does not wait for its next attempt", async () => {
  answers = [answer(503, undefined, { "Retry-After": "20" })];
  const controller = new AbortController();
  globalThis.setTimeout = (act, milliseconds) => {
    controller.abort();
    return real.setTimeout(act, milliseconds);
  };
  try {
    await assert.rejects(balcaoOf().registry.listGenderOptions({ signal: controller.signal }), { name: "AbortError" });
  } finally {
    globalThis.setTimeout = timer;
  }
  assert.equal(received.length, 1);
});

test("an idempotent POST is retried", async () => {
  answers = [answer(503, undefined, { "Retry-After": "2" }), answer(202, {}), answer(503, undefined, { "Retry-After": "3" }), answer(200, {})];
  await balcaoOf().registry.receiveCrmEvent({ cpf: CPF, dados: {} });
  await balcaoOf().registry.validateEmail({ email: "ana@example.org" });
  assert.deepEqual(waits, [2, 3]);
});

test("a date in Retry-After is compared with the platform's clock", async () => {
  const noon = "Fri, 27 Nov 2026 12:00:00 GMT";
  const read = async (headers) => {
    answers = [answer(503, undefined, headers)];
    return (await new Balcao("http://127.0.0.1:1", "token", { retries: { times: 0 } }).registry.listGenderOptions().catch((fault) => fault)).retryAfter;
  };
  assert.equal(await read({ Date: noon, "Retry-After": "Fri, 27 Nov 2026 12:00:07 GMT" }), 7);
  assert.equal(await read({ Date: noon, "Retry-After": "Fri, 27 Nov 2026 11:59:00 GMT" }), 0);
  assert.equal(await read({ "Retry-After": "Fri, 27 Nov 2020 12:00:00 GMT" }), 0);
  assert.equal(await read({ Date: noon, "Retry-After": "amanha" }), undefined);
});

test("every call names the client and its version, except in a browser, where this would cause a preflight", async () => {
  answers = [provider, tokens("one"), answer(200, ["a"])];
  await balcaoOf(clientCredentials({ clientId: "agenda", clientSecret: "segredo" })).registry.listGenderOptions();
  assert.equal(received.length, 3);
  for (const name of sent("User-Agent")) assert.match(name, /^balcao-client\/\d+\.\d+\.\d+\S* \(typescript\)$/);
  const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Mozilla/5.0 (X11)" }, configurable: true });
  try {
    answers = [answer(200, ["a"])];
    await balcaoOf().registry.listGenderOptions();
  } finally {
    if (own) Object.defineProperty(globalThis, "navigator", own);
    else delete globalThis.navigator;
  }
  assert.equal(sent("User-Agent").at(-1), null);
});

test("the error of a failed connection has its cause, and names the cause in its message", async () => {
  const reach = (url, retries = { times: 0 }) =>
    new Balcao(url, null, { fetch: real.fetch, retries }).registry.listGenderOptions().catch((fault) => fault);
  const closed = createServer();
  await new Promise((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address();
  await new Promise((resolve) => closed.close(resolve));
  const refused = await reach(`http://127.0.0.1:${port}`);
  assert.ok(refused instanceof ConnectionFailed);
  assert.equal(refused.cause.cause.code, "ECONNREFUSED");
  assert.match(refused.message, /fetch failed: .*ECONNREFUSED/);
  // A body that breaks off is also a failed connection, and a read is retried.
  let tries = 0;
  const server = createServer((_, response) => {
    tries += 1;
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
    response.write('["a"', () => response.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const broken = await reach(`http://127.0.0.1:${server.address().port}`, { times: 1 });
    assert.ok(broken instanceof ConnectionFailed, String(broken));
    assert.ok(broken.cause);
    assert.equal(tries, 2);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

const idToken = (claims) => ["{}", JSON.stringify(claims), "?"].map((part) => Buffer.from(part).toString("base64url")).join(".");
const flow = (scope) => new CodeFlow({ issuer: "http://127.0.0.1:1", clientId: "agenda", redirectUri: "https://agenda.example/volta", ...(scope ? { scope } : {}) });

for (const [status, error, description] of [
  [400, "invalid_grant", "Incorrect redirect_uri"],
  [400, "invalid_grant", "PKCE verification failed: Code mismatch"],
  [400, "invalid_grant", "Code not valid"],
  [401, "unauthorized_client", "Invalid client or Invalid client credentials"],
]) {
  test(`a failed login has the provider's reason: ${description}`, async () => {
    answers = [provider, answer(status, { error, error_description: description })];
    const failed = await flow().finish("codigo", "v".repeat(43), "n").catch((fault) => fault);
    assert.ok(failed instanceof LoginFailed && !(failed instanceof LoginEnded));
    assert.deepEqual([failed.status, failed.error, failed.errorDescription, failed.message], [status, error, description, `${error}: ${description}`]);
  });
}

for (const [name, id_token] of [
  ["another nonce", idToken({ nonce: "of another login" })],
  ["no nonce", idToken({ sub: "ana" })],
  ["malformed", "no.token"],
  ["no ID token", undefined],
]) {
  test(`tokens of another login are rejected: ${name}`, async () => {
    answers = [provider, answer(200, { access_token: "one", id_token })];
    await assert.rejects(flow().finish("codigo", "v".repeat(43), "nonce"), { name: "LoginFailed", error: "invalid_nonce" });
  });
}

test("without openid there is no ID token to check", async () => {
  answers = [provider, answer(200, { access_token: "one" })];
  assert.equal((await flow("profile").finish("codigo", "v".repeat(43), "nonce")).idToken, undefined);
});

const provider = answer(200, { authorization_endpoint: "http://127.0.0.1:1/login", token_endpoint: "http://127.0.0.1:1/token" });
const tokens = (access_token, refresh_token) => answer(200, { access_token, expires_in: 300, refresh_token });
const forms = () => received.filter(({ request }) => request.url.endsWith("/token")).map(({ text }) => Object.fromEntries(new URLSearchParams(text)));

test("a machine's token is cached, renewed before it expires, and replaced once after a refusal", async () => {
  const options = answer(200, ["a"]);
  answers = [
    provider, tokens("one"), options, options,
    provider, tokens("two"), options,
    answer(401), provider, tokens("three"), options,
    answer(401), provider, tokens("four"), answer(401), answer(500),
  ];
  const balcao = balcaoOf(clientCredentials({ clientId: "agenda", clientSecret: "segredo", scope: "sms:read" }));
  for (const second of [1000, 1269, 1271, 1272]) {
    Date.now = () => second * 1000;
    await balcao.registry.listGenderOptions();
  }
  await assert.rejects(balcao.registry.listGenderOptions(), { status: 401 });
  assert.deepEqual(forms(), Array(4).fill({ grant_type: "client_credentials", client_id: "agenda", client_secret: "segredo", scope: "sms:read" }));
  assert.ok(received[0].request.url.endsWith("/auth/realms/balcao/.well-known/openid-configuration"));
  const used = sent("Authorization").filter(Boolean).map((value) => value.replace("Bearer ", ""));
  assert.deepEqual(used, ["one", "one", "two", "two", "three", "three", "four"]);
});

test("concurrent callers share one request for a token", async () => {
  answers = [provider, tokens("one"), answer(200, ["a"])];
  const balcao = balcaoOf(clientCredentials({ clientId: "agenda", clientSecret: "segredo" }));
  await Promise.all([1, 2, 3].map(() => balcao.registry.listGenderOptions()));
  assert.equal(forms().length, 1);
});

test("a person who logs in by code stays logged in until the provider ends the session", async () => {
  const flow = new CodeFlow({ issuer: "http://127.0.0.1:1", clientId: "agenda", redirectUri: "https://agenda.example/volta" });
  answers = [provider];
  const start = await flow.start();
  const first = answer(200, { access_token: "one", expires_in: 300, refresh_token: "first", id_token: idToken({ nonce: start.nonce, name: "Antônia" }) });
  answers = [provider, first, answer(401), provider, tokens("two", "second"), answer(200, ["a"]), answer(401), provider, answer(400, { error: "invalid_grant", error_description: "Session not active" })];
  const asked = Object.fromEntries(new URL(start.url).searchParams);
  const login = await flow.finish("codigo", start.verifier, start.nonce);
  const [form] = forms();
  assert.equal(asked.code_challenge, createHash("sha256").update(form.code_verifier).digest("base64url"));
  assert.deepEqual([asked.code_challenge_method, asked.response_type, asked.state], ["S256", "code", start.state]);
  assert.deepEqual([form.code, form.redirect_uri], ["codigo", asked.redirect_uri]);
  const balcao = balcaoOf(login);
  await balcao.registry.listGenderOptions();
  const ended = await balcao.registry.listGenderOptions().catch((fault) => fault);
  assert.ok(ended instanceof LoginEnded);
  assert.deepEqual([ended.error, ended.errorDescription], ["invalid_grant", "Session not active"]);
  assert.deepEqual(forms().slice(1).map((one) => one.refresh_token), ["first", "second"]);
  assert.equal(login.refreshToken, "second");
});

test("a function of the caller returns the token of each call", async () => {
  answers = [answer(200, ["a"])];
  const given = ["one", "two"];
  const balcao = balcaoOf(() => given.shift());
  await balcao.registry.listGenderOptions();
  await balcao.registry.listGenderOptions();
  assert.deepEqual(sent("Authorization"), ["Bearer one", "Bearer two"]);
});

test("a record that was changed in the meantime is not overwritten", async () => {
  answers = [answer(200, PREFERENCES, { ETag: '"7"' }), answer(412, { error: "Mudou." }, { "Error-Code": "precondition-failed" })];
  const balcao = balcaoOf();
  const ifMatch = etagOf(await balcao.registry.readPreferences(CPF));
  assert.equal(ifMatch, '"7"');
  await assert.rejects(balcao.registry.changePreferences(CPF, CHANGE, { ifMatch }), { status: 412, code: "precondition-failed" });
  assert.equal(sent("If-Match")[1], '"7"');
});

test("an unchanged record causes NotModified", async () => {
  answers = [answer(304)];
  await assert.rejects(balcaoOf().registry.readPreferences(CPF, { ifNoneMatch: '"7"' }), NotModified);
  assert.deepEqual(sent("If-None-Match"), ['"7"']);
});

test("all pages are read, and no page after the last one", async () => {
  const page = (count) => answer(200, { total: 250, page: 1, per_page: 100, total_pages: 3, data: Array(count).fill({ name: "Gato" }) });
  answers = [page(100), page(100), page(50), answer(500)];
  const found = [];
  for await (const avatar of balcaoOf().registry.iterateAvatars()) found.push(avatar.name);
  assert.equal(found.length, 250);
  assert.deepEqual(received.map(({ request }) => new URL(request.url).search), [1, 2, 3].map((number) => `?page=${number}&per_page=100`));
});

test("a refusal has its code, its remedy and the request id", async () => {
  const items = [{ loc: ["body", "nome"], msg: "Falta.", type: "missing" }];
  answers = [answer(422, { detail: items }, { "Error-Code": "body-invalid", "X-Request-ID": "7d6f" })];
  const fault = await balcaoOf().registry.readPreferences(CPF).catch((one) => one);
  assert.deepEqual([fault.code, fault.message, fault.requestId, fault.items], ["body-invalid", "body.nome: Falta.", "7d6f", items]);
  assert.ok(fault.remedy);
  answers = [answer(403, { error: "Não." }, { "Error-Code": "nome-length" })];
  assert.ok((await balcaoOf().registry.readPreferences(CPF).catch((one) => one)).remedy);
});

test("a code has the remedy of the called service", async () => {
  answers = [answer(400, { error: "Não é um CPF." }, { "Error-Code": "cpf-invalid" })];
  const [event, application] = await Promise.all([
    balcaoOf().registry.receiveCrmEvent({ cpf: "1" }).catch((one) => one),
    balcaoOf().employability.submitApplication({}).catch((one) => one),
  ]);
  assert.match(event.remedy, /a body accepts only digits/);
  assert.notEqual(event.remedy, application.remedy);
});

const EVENTS = { "Content-Type": "text/event-stream" };
const ENDED = answer(403, { detail: "Fim." }, { "Error-Code": "forbidden" });
const stream = (text) => new Response(text, { headers: EVENTS });
// Returns the events of a stream until the platform refuses it.
const follow = async (options) => {
  const events = [];
  await assert.rejects(async () => {
    for await (const event of balcaoOf().healthUnits.streamChanges(options)) events.push(event);
  }, { status: 403 });
  return events;
};

test("a stream is parsed as the standard requires, in parts of any size", async () => {
  const text = { nota: "uma linha\u2028ou\u0085\u000cduas" };
  const whole = ": a comment\r\n\r\nevent: mudanca\r\nid: 7\r\ndata: 1\rdata: 2\n\nunknown: x\nretry: 5\ndata\n\n" + `id: 8\ndata:${JSON.stringify(text)}\n\ndata: not ended`;
  const bytes = new TextEncoder().encode(whole);
  for (const size of [1, 2, 7, bytes.length]) {
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, place) => bytes.slice(place * size, (place + 1) * size));
    answers = [new Response(ReadableStream.from(parts), { headers: EVENTS }), ENDED];
    const events = await follow({ lastEventId: "6" });
    assert.deepEqual(events.slice(0, 2), [{ name: "mudanca", data: "1\n2", id: "7" }, { name: "message", data: "", id: "7" }]);
    assert.deepEqual([JSON.parse(events[2].data), events[2].id, events.length], [text, "8", 3]);
    assert.equal(sent("Last-Event-ID").at(-2), "6");
  }
});

test("a stream that ends or breaks resumes after its last event", async () => {
  // The client ignores the id of an incomplete event. Otherwise it would resume after the event and lose it.
  const broken = new ReadableStream({ start: (controller) => controller.error(new TypeError("terminated")) });
  answers = [
    stream("retry: 2000\nid: 5\n\n"),
    stream("id: 6\ndata: a\n\nid: 7\ndata: cut o"),
    new Response(broken, { headers: EVENTS }),
    answer(503, undefined, { "Retry-After": "9" }),
    stream("id: 7\ndata: whole\n\n"),
    ENDED,
  ];
  const events = await follow();
  assert.deepEqual(events.map(({ id, data }) => [id, data]), [["6", "a"], ["7", "whole"]]);
  assert.deepEqual(sent("Last-Event-ID"), [null, "5", "6", "6", "6", "7"]);
  assert.equal(waits[3], 9);
  for (const [place, most] of [[0, 2], [1, 2], [2, 4], [4, 2]]) assert.ok(waits[place] >= most / 2 && waits[place] <= most);
});

test("a silent stream is reopened", async () => {
  // The platform sends a comment every 15 seconds, so a longer silence means that the connection is dead.
  const silent = (number) => {
    const parts = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(`id: ${number}\ndata: ${number}\n\n`)) });
    return new Response(parts, { headers: EVENTS });
  };
  answers = [silent(1), silent(2), ENDED];
  patience = 5;
  try {
    assert.deepEqual((await follow()).map(({ data }) => data), ["1", "2"]);
  } finally {
    patience = 60_000;
  }
  assert.deepEqual(sent("Last-Event-ID"), [null, "1", "2"]);
});

test("a stream that always ends immediately is not reopened forever", async () => {
  answers = [stream("")];
  await assert.rejects(balcaoOf().healthUnits.streamChanges().next(), /without an event/);
  assert.equal(received.length, 4);
});

test("a stream opened with a ticket ends with its connection", async () => {
  answers = [stream("id: 1\ndata: a\n\n")];
  const events = [];
  for await (const event of balcaoOf().healthUnits.streamChangesByTicket({ bilhete: "b" })) events.push(event.data);
  assert.deepEqual([events, received.length, waits], [["a"], 1, []]);
});

test("a cancelled stream opens no other connection", async () => {
  const controller = new AbortController();
  answers = [stream("id: 1\ndata: a\n\n")];
  const events = balcaoOf().healthUnits.streamChanges({ signal: controller.signal });
  await events.next();
  controller.abort();
  await assert.rejects(events.next(), { name: "AbortError" });
  assert.equal(received.length, 1);
});

test("a response that is not a stream is reported", async () => {
  answers = [new Response("<html>", { headers: { "Content-Type": "text/html" } })];
  await assert.rejects(balcaoOf().healthUnits.streamChanges().next(), /is no stream/);
  assert.equal(received.length, 1);
});

test("a refused stream has the code of the refusal", async () => {
  answers = [answer(403, { detail: "Não." }, { "Error-Code": "forbidden" })];
  await assert.rejects(balcaoOf().healthUnits.streamChanges().next(), { status: 403, code: "forbidden" });
});

const BODY = JSON.stringify({ type: "health_unit.changed", timestamp: "2026-11-27T12:00:00Z", data: { sequencia: 1, cnes: "9900001" } });
const now = Math.floor(Date.now() / 1000);
// Signs as the standard requires. Other tests verify the platform's signatures with the standard's own library.
const sign = (secret, body = BODY, id = "msg_1") => {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${now}.${body}`).digest("base64");
  return { "Webhook-Id": id, "Webhook-Timestamp": String(now), "Webhook-Signature": `v1,${signature}` };
};

test("a webhook that the platform signed is accepted", async () => {
  const event = JSON.parse(BODY);
  assert.deepEqual(await verifyWebhook(BODY, sign(SECRET), [SECRET]), event);
  assert.deepEqual(await verifyWebhook(BODY, new Headers(sign(FORMER)), [SECRET, FORMER]), event);
  const both = { ...sign(SECRET), "Webhook-Signature": `v2,abc ${sign(FORMER)["Webhook-Signature"]} ${sign(SECRET)["Webhook-Signature"]}` };
  assert.deepEqual(await verifyWebhook(BODY, both, [SECRET]), event);
});

for (const [name, body, headers, at] of [
  ["another secret", BODY, sign(FORMER), now],
  ["another body", `${BODY} `, sign(SECRET), now],
  ["another id", BODY, { ...sign(SECRET), "Webhook-Id": "msg_2" }, now],
  ["too old", BODY, sign(SECRET), now + 301],
  ["with a time in the future", BODY, sign(SECRET), now - 301],
  ["without a time", BODY, { ...sign(SECRET), "Webhook-Timestamp": "" }, now],
  ["with an invalid time", BODY, { ...sign(SECRET), "Webhook-Timestamp": "hoje" }, now],
  ["with an invalid signature", BODY, { ...sign(SECRET), "Webhook-Signature": "v1,!" }, now],
]) {
  test(`any other webhook is rejected: ${name}`, async () => {
    await assert.rejects(verifyWebhook(body, headers, [SECRET], { now: at }), InvalidSignature);
  });
}

for (const secret of ["", "whsec_", "whsec_!!!!", "!!!!", `whsec_${"A".repeat(28)}`, `whsec_${"A".repeat(33)}`, " ", `whsec_${"é".repeat(32)}`]) {
  test(`a secret that would accept forged webhooks is rejected: ${JSON.stringify(secret)}`, async () => {
    const forged = createHmac("sha256", "").update(`msg_1.${now}.${BODY}`).digest("base64");
    for (const headers of [sign(SECRET), { ...sign(SECRET), "Webhook-Signature": `v1,${forged}` }]) {
      for (const secrets of [[secret], [secret, SECRET], [SECRET, secret]]) {
        await assert.rejects(verifyWebhook(BODY, headers, secrets), InvalidSecret);
      }
    }
  });
}

test("verification needs at least one secret, which may end with a line break", async () => {
  await assert.rejects(verifyWebhook(BODY, sign(SECRET), []), InvalidSecret);
  assert.deepEqual(await verifyWebhook(BODY, sign(SECRET), [`${SECRET}\n`]), JSON.parse(BODY));
});
