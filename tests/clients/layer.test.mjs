// What our TypeScript client does by itself: tokens, tries, versions, pages, streams, webhooks.
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { after, beforeEach, test } from "node:test";

import { Balcao, clientCredentials, CodeFlow, ConnectionFailed, etagOf, Fault, InvalidSecret, InvalidSignature, LoginEnded, NotModified, verifyWebhook } from "@balcao/client";

const CPF = "90000000175";
const BRAND = { id: "0190a1b2-0000-7000-8000-000000000001", name: "Maresia", is_other: false, deleted_at: null };
const PREFERENCES = { cpf: CPF, opt_in: true, category_opt_ins: {}, updated_at: "2026-11-27T12:00:00Z" };
const CHANGE = { opt_in: false, channel: "web" };
const SECRET = "whsec_" + "A".repeat(32);
const FORMER = "whsec_" + "b".repeat(32);

// Platform and provider: what they answer in turn, and what they were sent.
let answers, received, waits;
const play = async (input, init) => {
  const request = new Request(input, init);
  received.push({ request, text: await request.clone().text() });
  assert.ok(answers.length > 0, `nobody expected ${request.method} ${request.url}`);
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
globalThis.setTimeout = (act, milliseconds) => {
  waits.push(milliseconds / 1000);
  return real.setTimeout(act, 0);
};
beforeEach(() => {
  [answers, received, waits] = [[], [], []];
  Date.now = real.now;
});
after(() => Object.assign(globalThis, { fetch: real.fetch, setTimeout: real.setTimeout }));

test("a creation is tried again as long as it is told to wait, with one key", async () => {
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

test("a key of the caller's is sent as it is", async () => {
  answers = [answer(201, BRAND)];
  await balcaoOf().registry.addVehicleBrand({ name: "Maresia" }, { idempotencyKey: "pedido-4711" });
  assert.deepEqual(sent("Idempotency-Key"), ["pedido-4711"]);
});

test("nobody waits for longer than was said at the client", async () => {
  answers = [answer(429, { error: "Devagar." }, { "Retry-After": "31", "Error-Code": "too-many" })];
  const refused = await balcaoOf().registry.readPreferences(CPF).catch((fault) => fault);
  assert.ok(refused instanceof Fault);
  assert.deepEqual([refused.status, refused.retryAfter, refused.code, refused.message], [429, 31, "too-many", "Devagar."]);
  assert.deepEqual([received.length, waits], [1, []]);
});

test("without a word of the platform's the waits grow and end", async () => {
  answers = [answer(502)];
  await assert.rejects(balcaoOf().registry.readPreferences(CPF), { status: 502 });
  assert.deepEqual([received.length, waits.length], [4, 3]);
  [0.25, 0.5, 1].forEach((longest, place) => assert.ok(waits[place] >= longest / 2 && waits[place] <= longest));
});

for (const [name, act] of [
  ["a write of one version", (balcao) => balcao.registry.changePreferences(CPF, CHANGE, { ifMatch: '"1"' })],
  ["a post without a key", (balcao) => balcao.healthUnits.issueStreamTicket()],
]) {
  test(`what may have been applied is not sent again: ${name}`, async () => {
    answers = [answer(503, undefined, { "Retry-After": "1" })];
    await assert.rejects(act(balcaoOf()), { status: 503 });
    assert.deepEqual([received.length, waits], [1, []]);
    answers = [new TypeError("fetch failed")];
    await assert.rejects(act(balcaoOf()), ConnectionFailed);
    assert.deepEqual([received.length, waits], [2, []]);
    answers = [answer(429, undefined, { "Retry-After": "1" })]; // which says that nothing was begun
    await assert.rejects(act(balcaoOf()), { status: 429 });
    assert.deepEqual([received.length, waits], [6, [1, 1, 1]]);
  });
}

test("where nothing answers the call ends in a fault of its own", async () => {
  answers = [new TypeError("fetch failed")];
  await assert.rejects(balcaoOf().registry.listGenderOptions(), ConnectionFailed);
  assert.equal(received.length, 4);
});

test("who ends a call does not wait for its next try", async () => {
  answers = [answer(503, undefined, { "Retry-After": "20" })];
  const controller = new AbortController();
  globalThis.setTimeout = (act, milliseconds) => {
    controller.abort();
    return real.setTimeout(act, milliseconds);
  };
  try {
    await assert.rejects(balcaoOf().registry.listGenderOptions({ signal: controller.signal }), { name: "AbortError" });
  } finally {
    globalThis.setTimeout = (act, milliseconds) => {
      waits.push(milliseconds / 1000);
      return real.setTimeout(act, 0);
    };
  }
  assert.equal(received.length, 1);
});

const provider = answer(200, { authorization_endpoint: "http://127.0.0.1:1/login", token_endpoint: "http://127.0.0.1:1/token" });
const tokens = (access_token, refresh_token) => answer(200, { access_token, expires_in: 300, refresh_token });
const forms = () => received.filter(({ request }) => request.url.endsWith("/token")).map(({ text }) => Object.fromEntries(new URLSearchParams(text)));

test("a machine's token is kept, renewed before its end, and replaced once where it is refused", async () => {
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

test("callers at once share one request for a token", async () => {
  answers = [provider, tokens("one"), answer(200, ["a"])];
  const balcao = balcaoOf(clientCredentials({ clientId: "agenda", clientSecret: "segredo" }));
  await Promise.all([1, 2, 3].map(() => balcao.registry.listGenderOptions()));
  assert.equal(forms().length, 1);
});

test("a person logs in by code and stays so until the provider ends it", async () => {
  const flow = new CodeFlow({ issuer: "http://127.0.0.1:1", clientId: "agenda", redirectUri: "https://agenda.example/volta" });
  answers = [provider, provider, tokens("one", "first"), answer(401), provider, tokens("two", "second"), answer(200, ["a"]), answer(401), provider, answer(400, { error: "invalid_grant" })];
  const start = await flow.start();
  const asked = Object.fromEntries(new URL(start.url).searchParams);
  const login = await flow.finish("codigo", start.verifier);
  const [form] = forms();
  assert.equal(asked.code_challenge, createHash("sha256").update(form.code_verifier).digest("base64url"));
  assert.deepEqual([asked.code_challenge_method, asked.response_type, asked.state], ["S256", "code", start.state]);
  assert.deepEqual([form.code, form.redirect_uri], ["codigo", asked.redirect_uri]);
  const balcao = balcaoOf(login);
  await balcao.registry.listGenderOptions();
  await assert.rejects(balcao.registry.listGenderOptions(), LoginEnded);
  assert.deepEqual(forms().slice(1).map((one) => one.refresh_token), ["first", "second"]);
  assert.equal(login.refreshToken, "second");
});

test("a function of the caller's is asked for the token of each call", async () => {
  answers = [answer(200, ["a"])];
  const given = ["one", "two"];
  const balcao = balcaoOf(() => given.shift());
  await balcao.registry.listGenderOptions();
  await balcao.registry.listGenderOptions();
  assert.deepEqual(sent("Authorization"), ["Bearer one", "Bearer two"]);
});

test("what somebody changed meanwhile is not overwritten", async () => {
  answers = [answer(200, PREFERENCES, { ETag: '"7"' }), answer(412, { error: "Mudou." }, { "Error-Code": "precondition-failed" })];
  const balcao = balcaoOf();
  const ifMatch = etagOf(await balcao.registry.readPreferences(CPF));
  assert.equal(ifMatch, '"7"');
  await assert.rejects(balcao.registry.changePreferences(CPF, CHANGE, { ifMatch }), { status: 412, code: "precondition-failed" });
  assert.equal(sent("If-Match")[1], '"7"');
});

test("what has not changed is said without a body", async () => {
  answers = [answer(304)];
  await assert.rejects(balcaoOf().registry.readPreferences(CPF, { ifNoneMatch: '"7"' }), NotModified);
  assert.deepEqual(sent("If-None-Match"), ['"7"']);
});

test("all pages are read, and none beyond the last", async () => {
  const page = (count) => answer(200, { total: 250, page: 1, per_page: 100, total_pages: 3, data: Array(count).fill({ name: "Gato" }) });
  answers = [page(100), page(100), page(50), answer(500)];
  const found = [];
  for await (const avatar of balcaoOf().registry.iterateAvatars()) found.push(avatar.name);
  assert.equal(found.length, 250);
  assert.deepEqual(received.map(({ request }) => new URL(request.url).search), [1, 2, 3].map((number) => `?page=${number}&per_page=100`));
});

test("a refusal says its code, its remedy and the request", async () => {
  const items = [{ loc: ["body", "nome"], msg: "Falta.", type: "missing" }];
  answers = [answer(422, { detail: items }, { "Error-Code": "body-invalid", "X-Request-ID": "7d6f" })];
  const fault = await balcaoOf().registry.readPreferences(CPF).catch((one) => one);
  assert.deepEqual([fault.code, fault.message, fault.requestId, fault.items], ["body-invalid", "body.nome: Falta.", "7d6f", items]);
  assert.ok(fault.remedy);
  answers = [answer(403, { error: "Não." }, { "Error-Code": "nome-length" })];
  assert.ok((await balcaoOf().registry.readPreferences(CPF).catch((one) => one)).remedy);
});

test("a stream is read as the standard has it, in whatever parts it comes", async () => {
  const text = { nota: "uma linha\u2028ou\u0085\u000cduas" };
  const whole = ": a comment\r\n\r\nevent: mudanca\r\nid: 7\r\ndata: 1\rdata: 2\n\nunknown: x\nretry: 5\ndata\n\n" + `id: 8\ndata:${JSON.stringify(text)}\n\ndata: not ended`;
  const bytes = new TextEncoder().encode(whole);
  for (const size of [1, 2, 7, bytes.length]) {
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, place) => bytes.slice(place * size, (place + 1) * size));
    answers = [new Response(ReadableStream.from(parts), { headers: { "Content-Type": "text/event-stream" } })];
    const events = [];
    for await (const event of balcaoOf().healthUnits.streamChanges({ lastEventId: "6" })) events.push(event);
    assert.deepEqual(events.slice(0, 2), [{ name: "mudanca", data: "1\n2", id: "7" }, { name: "message", data: "", id: "7" }]);
    assert.deepEqual([JSON.parse(events[2].data), events[2].id, events.length], [text, "8", 3]);
    assert.equal(sent("Last-Event-ID").at(-1), "6");
  }
});

test("a stream that is refused says why", async () => {
  answers = [answer(403, { detail: "Não." }, { "Error-Code": "forbidden" })];
  await assert.rejects(balcaoOf().healthUnits.streamChanges().next(), { status: 403, code: "forbidden" });
});

const BODY = JSON.stringify({ evento: "risco", unidade: "9900001" });
const now = Math.floor(Date.now() / 1000);
// As the standard says, which the platform's own tests hold against the library of its makers.
const sign = (secret, body = BODY, id = "msg_1") => {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${now}.${body}`).digest("base64");
  return { "Webhook-Id": id, "Webhook-Timestamp": String(now), "Webhook-Signature": `v1,${signature}` };
};

test("a webhook that the platform signed is taken", async () => {
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
  ["of a clock ahead", BODY, sign(SECRET), now - 301],
  ["without a moment", BODY, { ...sign(SECRET), "Webhook-Timestamp": "" }, now],
  ["with a moment that is none", BODY, { ...sign(SECRET), "Webhook-Timestamp": "hoje" }, now],
  ["with a signature that is none", BODY, { ...sign(SECRET), "Webhook-Signature": "v1,!" }, now],
]) {
  test(`any other webhook is refused: ${name}`, async () => {
    await assert.rejects(verifyWebhook(body, headers, [SECRET], { now: at }), InvalidSignature);
  });
}

for (const secret of ["", "whsec_", "whsec_!!!!", "!!!!", `whsec_${"A".repeat(28)}`, `whsec_${"A".repeat(33)}`, " ", `whsec_${"é".repeat(32)}`]) {
  test(`a secret that would accept forged webhooks is refused: ${JSON.stringify(secret)}`, async () => {
    const forged = createHmac("sha256", "").update(`msg_1.${now}.${BODY}`).digest("base64");
    for (const headers of [sign(SECRET), { ...sign(SECRET), "Webhook-Signature": `v1,${forged}` }]) {
      for (const secrets of [[secret], [secret, SECRET], [SECRET, secret]]) {
        await assert.rejects(verifyWebhook(BODY, headers, secrets), InvalidSecret);
      }
    }
  });
}

test("a webhook is verified by at least one secret, which may end with the line break of its file", async () => {
  await assert.rejects(verifyWebhook(BODY, sign(SECRET), []), InvalidSecret);
  assert.deepEqual(await verifyWebhook(BODY, sign(SECRET), [`${SECRET}\n`]), JSON.parse(BODY));
});
