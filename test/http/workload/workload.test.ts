import { createHmac, generateKeyPairSync, randomUUID } from "node:crypto";
import { decodeJwt, type JWTPayload } from "jose";
import { expect, it, onTestFinished, vi } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import type { NewTrust } from "../../../src/applications/clients/workload/trust.ts";
import * as trusts from "../../../src/applications/clients/workload/trusts.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { revocations } from "../../../src/records/revocations/service.ts";
import { startIssuer, useIssuer, type Issuer } from "../../support/issuer.ts";
import { createTestClient } from "../../support/openid.ts";
import { basic, codeFor, newParty, post } from "../../support/openid-tokens.ts";
import { by, newMachine } from "../../support/resources.ts";
import { describeSqliteFirst, describeOnSqlite, type TestApp, type TestService } from "../../support/service.ts";
import { localWebhooks } from "../../support/webhooks.ts";

type Machine = Awaited<ReturnType<typeof newWorkload>>;

const subject = "repo:acme/shop:ref:refs/heads/main";
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** A machine that trusts tokens of the issuer, and has a secret besides to ask about its tokens. */
async function newWorkload(service: TestService, issuer: Issuer, trust: Partial<NewTrust> = {}, owner?: TestApp) {
  const wanted = [{ issuer: issuer.url, subject, ...trust }];
  const machine = await newMachine(service, { trusts: wanted }, owner);
  return { ...machine, trustId: machine.client.trusts[0]?.id ?? "" };
}

/** The claims of a good token, issued now, with these instead. */
function claims(service: TestService, issuer: Issuer, changes: JWTPayload = {}): JWTPayload {
  const now = Math.floor(service.clock.now / 1000);
  const usual = { iss: issuer.url, sub: subject, aud: service.url, iat: now, nbf: now, exp: now + 300 };
  return { ...usual, jti: randomUUID(), ...changes };
}

async function ask(
  service: TestService,
  { client, resource }: Pick<Machine, "client" | "resource">,
  assertion: string,
  form: Record<string, string> = {},
) {
  const answer = await post(service, "/oauth2/token", {
    grant_type: "client_credentials",
    resource,
    client_id: client.id,
    client_assertion_type: assertionType,
    client_assertion: assertion,
    ...form,
  });
  // So that the audit log has an order.
  service.clock.advance(1);
  return answer;
}

async function tokenOf(service: TestService, machine: Machine, issuer: Issuer): Promise<string> {
  const { status, body } = await ask(service, machine, await issuer.sign(claims(service, issuer)));
  expect([status, body]).toEqual([200, body]);
  return String(body["access_token"]);
}

const introspect = async (service: TestService, machine: Machine, token: string) =>
  (await post(service, "/oauth2/introspect", { token }, basic(machine))).body;

/** Why the last call of a client was refused, as the audit log says. */
async function lastReason(service: TestService): Promise<unknown> {
  const events = await audit.list(service.server.app.ctx, { action: "call.refused", limit: 1000 });
  return events.at(-1)?.details["reason"];
}

/** What every refusal is: the same for every cause. */
const refused = {
  status: 401,
  body: { error: "invalid_client", error_description: "The client is unknown or did not authenticate." },
};

async function expectRefused(service: TestService, answer: Awaited<ReturnType<typeof ask>>, reason: string) {
  expect({ status: answer.status, body: answer.body }).toEqual(refused);
  expect(await lastReason(service)).toContain(reason);
}

describeSqliteFirst("a machine without a secret", localWebhooks, (service) => {
  const issuer = useIssuer();

  it("gets a token with one of an issuer that it trusts, naming itself beside it (RFC 7523)", async () => {
    const machine = await newWorkload(service, issuer);
    const token = await tokenOf(service, machine, issuer);
    expect(decodeJwt(token)).toMatchObject({
      sub: machine.client.id,
      client_id: machine.client.id,
      credential_id: machine.trustId,
      aud: [machine.resource],
      scope: "read write",
    });
    expect(await introspect(service, machine, token)).toMatchObject({ active: true, sub: machine.client.id });
    const { reader } = service.server.app.ctx.storage;
    const [event] = await audit.recent(reader, { appId: machine.app.id, action: "machine.token", since: 0 });
    expect(event?.details).toMatchObject({ clientId: machine.client.id, credential: machine.trustId });
  });

  it("I1: uses a token with an id (jti) once, also of 20 parallel calls and for another client", async () => {
    const machine = await newWorkload(service, issuer);
    const other = await newWorkload(service, issuer);
    const assertion = await issuer.sign(claims(service, issuer));
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await ask(service, index % 2 === 0 ? machine : other, assertion)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
    service.clock.advance(5 * 60_000);
    await expectRefused(service, await ask(service, machine, assertion), "used before (jti)");
  });

  it("I1: uses the id (jti) of each issuer once, and another issuer's own", async () => {
    const elsewhere = await startIssuer();
    onTestFinished(async () => await elsewhere.close());
    const machine = await newMachine(service, {
      trusts: [issuer, elsewhere].map(({ url }) => ({ issuer: url, subject })),
    });
    for (const status of [200, 401])
      for (const one of [issuer, elsewhere]) {
        const answer = await ask(service, machine, await one.sign(claims(service, one, { jti: "the same" })));
        expect([status, answer.status]).toEqual([status, status]);
      }
  });

  it("A5: loses its tokens with the trust that got them, and no others; the feed says so", async () => {
    const machine = await newWorkload(service, issuer);
    const { ctx } = service.server.app;
    const { id } = machine.client;
    await trusts.add(ctx, id, { issuer: issuer.url, subject: "another" }, by);
    const first = await tokenOf(service, machine, issuer);
    const bySecond = await ask(service, machine, await issuer.sign(claims(service, issuer, { sub: "another" })));
    await trusts.remove(ctx, id, machine.trustId, by);
    expect(await introspect(service, machine, first)).toEqual({ active: false });
    expect((await introspect(service, machine, String(bySecond.body["access_token"])))["active"]).toBe(true);
    const ended = { sub: id, before: new Date(service.clock.now).toISOString() };
    expect(await revocations(ctx).list(machine.app.id, 10)).toMatchObject([ended]);
    const again = await ask(service, machine, await issuer.sign(claims(service, issuer)));
    await expectRefused(service, again, "does not trust its subject");
    // The same words are another trust: what ended stays ended.
    await trusts.add(ctx, id, { issuer: issuer.url, subject }, by);
    expect(await introspect(service, machine, first)).toEqual({ active: false });
  });

  it("has at most 20 trusts, each once, however many calls add them at the same time", async () => {
    const machine = await newWorkload(service, issuer);
    const { ctx } = service.server.app;
    const add = async (name: string) =>
      await trusts.add(ctx, machine.client.id, { issuer: issuer.url, subject: name }, by);
    const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
    const added = await Promise.allSettled([...names, ...names].map(add));
    expect(added.filter(({ status }) => status === "fulfilled")).toHaveLength(12);
    expect((await trusts.list(ctx, machine.client.id)).map((trust) => trust.subject).toSorted()).toEqual(
      [subject, ...names].toSorted(),
    );
    const more = Array.from({ length: 21 }, (_, index) => ({ issuer: issuer.url, subject: `m${index}` }));
    await expect(clients.update(ctx, machine.client.id, { trusts: more }, by)).rejects.toMatchObject({
      rejected: { field: "trusts", rule: "at most 20" },
    });
  });
});

describeOnSqlite("a token of another issuer", localWebhooks, (service) => {
  const issuer = useIssuer();
  const seconds = () => Math.floor(service.clock.now / 1000);

  it.each<[rule: string, changes: (own: string) => JWTPayload, reason: string]>([
    ["I2: is refused about another subject", () => ({ sub: `${subject}x` }), "(sub)"],
    ["I2: is refused about the subject in other letters", () => ({ sub: subject.toUpperCase() }), "(sub)"],
    ["is refused without a subject", () => ({ sub: undefined }), "not a JWT"],
    ["I2: is refused for another audience", () => ({ aud: "https://elsewhere.example" }), "(aud)"],
    ["is refused for an audience that is almost ours", (own) => ({ aud: `${own}/` }), "(aud)"],
    ["is refused for a list of others", () => ({ aud: ["a", "b"] }), "several audiences (aud)"],
    [
      "I2: is refused for us and others, who could pass it on",
      (own) => ({ aud: [own, "sts.amazonaws.com"] }),
      "several audiences (aud)",
    ],
    ["is refused for an empty list", () => ({ aud: [] }), "(sub, aud)"],
    ["is refused without an audience", () => ({ aud: undefined }), "(aud)"],
    ["is refused once it has expired", () => ({ exp: seconds() - 61 }), "(exp)"],
    ["is refused without an end", () => ({ exp: undefined }), "(exp)"],
    ["is refused before its time", () => ({ nbf: seconds() + 120 }), "(nbf)"],
    ["is refused when it is older than ten minutes", () => ({ iat: seconds() - 601, exp: seconds() + 9999 }), "(iat)"],
    ["is refused from the future", () => ({ iat: seconds() + 120 }), "(iat)"],
    ["is refused if it does not say when it was issued", () => ({ iat: undefined }), "(iat)"],
    ["is refused with an id that is no text", () => ({ jti: 7 as unknown as string }), "(jti)"],
  ])("%s", async (_rule, changes, reason) => {
    const machine = await newWorkload(service, issuer);
    const assertion = await issuer.sign(claims(service, issuer, changes(service.url)));
    await expectRefused(service, await ask(service, machine, assertion), reason);
  });

  it.each<[what: string, changes: (own: string) => JWTPayload]>([
    ["a list of our audience", (own) => ({ aud: [own] })],
    ["an age of ten minutes", () => ({ iat: seconds() - 600, nbf: undefined, exp: seconds() + 3600 })],
    ["no nbf", () => ({ nbf: undefined })],
  ])("is accepted with %s", async (_what, changes) => {
    const machine = await newWorkload(service, issuer);
    const assertion = await issuer.sign(claims(service, issuer, changes(service.url)));
    expect((await ask(service, machine, assertion)).status).toBe(200);
  });

  it("may be used again while it has no id, for ten minutes after it was issued", async () => {
    const machine = await newWorkload(service, issuer);
    const assertion = await issuer.sign(claims(service, issuer, { jti: undefined, exp: seconds() + 3600 }));
    expect((await ask(service, machine, assertion)).status).toBe(200);
    service.clock.advance(590_000);
    expect((await ask(service, machine, assertion)).status).toBe(200);
    service.clock.advance(20_000);
    await expectRefused(service, await ask(service, machine, assertion), "(iat)");
  });

  it("is for the audience of its trust, and then for no other", async () => {
    const machine = await newWorkload(service, issuer, { audience: "authsvc-prod" });
    const fit = await issuer.sign(claims(service, issuer, { aud: "authsvc-prod" }));
    expect((await ask(service, machine, fit)).status).toBe(200);
    await expectRefused(service, await ask(service, machine, await issuer.sign(claims(service, issuer))), "(aud)");
  });

  it("I7: is refused unless the issuer's own key signed it, by an asymmetric algorithm that is accepted", async () => {
    const machine = await newWorkload(service, issuer);
    const good = await issuer.rotate("RS256");
    service.clock.advance(10_000);
    expect((await ask(service, machine, await issuer.sign(claims(service, issuer)))).status).toBe(200);
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const forged = await issuer.sign(claims(service, issuer), {}, { ...good, privateKey: privateKey as never });
    await expectRefused(service, await ask(service, machine, forged), "signature");
    const body = [{ alg: "none" }, claims(service, issuer)].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    await expectRefused(service, await ask(service, machine, `${body.join(".")}.`), "(alg)");
    // The public key as a shared secret (RFC 8725 §3.1).
    const header = Buffer.from(JSON.stringify({ alg: "HS256", kid: good.kid })).toString("base64url");
    const input = `${header}.${body[1] ?? ""}`;
    const mac = createHmac("sha256", String(good.jwk.n)).update(input).digest("base64url");
    await expectRefused(service, await ask(service, machine, `${input}.${mac}`), "(alg)");
    await issuer.rotate("ES384");
    service.clock.advance(11 * 60_000);
    await expectRefused(service, await ask(service, machine, await issuer.sign(claims(service, issuer))), "(alg)");
    const critical = await issuer.sign(claims(service, issuer), {}, await issuer.rotate("ES256"));
    const [, payload = "", signature = ""] = critical.split(".");
    const crit = Buffer.from(JSON.stringify({ alg: "ES256", crit: ["x"], x: 1 })).toString("base64url");
    await expectRefused(service, await ask(service, machine, `${crit}.${payload}.${signature}`), "failed");
    service.clock.advance(10_000);
    expect((await ask(service, machine, critical)).status).toBe(200);
  });

  it("I2: is refused from an issuer that the client does not trust, without asking that issuer", async () => {
    const machine = await newWorkload(service, issuer);
    const stranger = await newMachine(service);
    issuer.asked.length = 0;
    const assertion = await issuer.sign(claims(service, issuer));
    await expectRefused(service, await ask(service, stranger, assertion), "does not trust its issuer");
    const other = await issuer.sign(claims(service, issuer, { iss: `${issuer.url}/` }));
    await expectRefused(service, await ask(service, machine, other), "does not trust its issuer");
    const unknown = { ...machine, client: { ...machine.client, id: "cli_nobody" } };
    await expectRefused(service, await ask(service, unknown, assertion), "of an unknown client");
    expect(issuer.asked).toEqual([]);
  });

  it("needs the client's id beside it, whatever its subject is", async () => {
    const machine = await newWorkload(service, issuer);
    await trusts.add(service.server.app.ctx, machine.client.id, { issuer: issuer.url, subject: machine.client.id }, by);
    const assertion = await issuer.sign(claims(service, issuer, { sub: machine.client.id }));
    const answer = await ask(service, machine, assertion, { client_id: "" });
    expect({ status: answer.status, body: answer.body }).toEqual(refused);
    expect((await ask(service, machine, assertion)).status).toBe(200);
    const second = await issuer.sign(claims(service, issuer));
    const asType = await ask(service, machine, second, { client_assertion_type: "urn:other" });
    expect(asType.status).toBe(401);
    const both = await ask(service, machine, second, { client_secret: machine.secret });
    expect([both.status, both.body["error"]]).toEqual([400, "invalid_request"]);
  });

  it("is refused when its client is disabled, and authenticates a web client too", async () => {
    const machine = await newWorkload(service, issuer);
    const { ctx } = service.server.app;
    await clients.update(ctx, machine.client.id, { enabled: false }, by);
    const off = await ask(service, machine, await issuer.sign(claims(service, issuer)));
    await expectRefused(service, off, "of an unknown client");
    const party = await newParty(service, { trusts: [{ issuer: issuer.url, subject }] });
    const answer = await post(service, "/oauth2/token", {
      ...(await codeFor(service, party)),
      client_id: party.client.id,
      client_assertion_type: assertionType,
      client_assertion: await issuer.sign(claims(service, issuer)),
    });
    expect(answer.status).toBe(200);
    for (const kind of ["spa", "native"] as const) {
      const input = { kind, trusts: [{ issuer: issuer.url, subject }] };
      await expect(createTestClient(service, party.app, input)).rejects.toMatchObject({
        rejected: { field: "trusts" },
      });
    }
  });

  it("cannot be of this service, nor of an address where webhooks may not go, nor for any subject", async () => {
    const machine = await newWorkload(service, issuer);
    const { ctx } = service.server.app;
    const rows: [trust: Partial<NewTrust>, field: string][] = [
      [{ issuer: ctx.baseUrl }, "issuer"],
      [{ issuer: `${ctx.baseUrl}/x` }, "issuer"],
      [{ issuer: "http://issuer.example" }, "issuer"],
      [{ issuer: "https://user:word@issuer.example" }, "issuer"],
      [{ issuer: "https://issuer.example/#x" }, "issuer"],
      [{ issuer: "https://issuer.example/?x" }, "issuer"],
      [{ issuer: "issuer.example" }, "issuer"],
      [{ subject: "" }, "subject"],
      [{ subject: "repo:acme/*" }, "subject"],
      [{ subject: "x".repeat(513) }, "subject"],
      [{ subject: "a\u202eb" }, "subject"],
      [{ audience: "" }, "audience"],
    ];
    for (const [trust, field] of rows)
      await expect(
        trusts.add(ctx, machine.client.id, { issuer: issuer.url, subject, ...trust }, by),
      ).rejects.toMatchObject({ code: "INVALID_REQUEST", rejected: { field } });
    expect(await trusts.list(ctx, machine.client.id)).toHaveLength(1);
  });
});

describeOnSqlite("the keys of another issuer", localWebhooks, (service) => {
  const issuer = useIssuer();
  const reads = () => issuer.asked.filter((path) => path === "/keys").length;

  /** A machine whose issuer was never asked: each has another path. */
  async function atPath(name: string, document: object = {}) {
    const url = `${issuer.url}/${name}`;
    const own = { issuer: url, jwks_uri: `${issuer.url}/keys`, ...document };
    issuer.answers[`/${name}/.well-known/openid-configuration`] = own;
    const machine = await newWorkload(service, issuer, { issuer: url });
    issuer.asked.length = 0;
    return { machine, url, askNow: async () => await askAs(machine, url) };
  }
  const askAs = async (machine: Machine, iss: string) =>
    await ask(service, machine, await issuer.sign(claims(service, issuer, { iss })));

  it("are read once for many calls, and again after ten minutes", async () => {
    const { askNow } = await atPath("cached");
    const answers = await Promise.all(Array.from({ length: 10 }, askNow));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(reads()).toBe(1);
    service.clock.advance(9 * 60_000);
    await askNow();
    expect(reads()).toBe(1);
    service.clock.advance(2 * 60_000);
    await askNow();
    expect(reads()).toBe(2);
  });

  it("are read again at once for a key that is not among them (rotation), but at most every ten seconds", async () => {
    const { askNow, machine, url } = await atPath("rotating");
    expect((await askNow()).status).toBe(200);
    await issuer.rotate();
    await expectRefused(service, await askNow(), "no such key (kid)");
    expect(reads()).toBe(1);
    service.clock.advance(10_000);
    expect((await askNow()).status).toBe(200);
    expect(reads()).toBe(2);
    const junk = async () =>
      await ask(service, machine, await issuer.sign(claims(service, issuer, { iss: url }), { kid: randomUUID() }));
    await Promise.all(Array.from({ length: 5 }, junk));
    expect(reads()).toBe(2);
    service.clock.advance(10_000);
    await Promise.all(Array.from({ length: 5 }, junk));
    expect(reads()).toBe(3);
    expect((await askNow()).status).toBe(200);
  });

  it("are used for another hour while the issuer does not answer; then its tokens are refused until it does", async () => {
    const { askNow } = await atPath("down");
    expect((await askNow()).status).toBe(200);
    const path = "/down/.well-known/openid-configuration";
    const { [path]: document } = issuer.answers;
    issuer.answers[path] = (answer) => answer.writeHead(503).end();
    service.clock.advance(30 * 60_000);
    expect((await askNow()).status).toBe(200);
    service.clock.advance(29 * 60_000);
    expect((await askNow()).status).toBe(200);
    service.clock.advance(60_000);
    await expectRefused(
      service,
      await askNow(),
      "the issuer's keys cannot be read: its discovery document: status 503",
    );
    if (document) issuer.answers[path] = document;
    await expectRefused(service, await askNow(), "cannot be read");
    service.clock.advance(10_000);
    expect((await askNow()).status).toBe(200);
  });

  const big = (answer: { end(text: string): unknown }) => answer.end(`{"keys":[],"x":"${"x".repeat(300_000)}"}`);
  it.each<[what: string, document: object | ((url: string) => object), keys: object | undefined, reason: string]>([
    ["a document of another issuer", { issuer: "https://other.example" }, undefined, "names another issuer"],
    ["a document of almost the same issuer", (url) => ({ issuer: `${url}/` }), undefined, "names another issuer"],
    ["no address of keys", { jwks_uri: 7 }, undefined, "names no keys"],
    [
      "keys at an http address elsewhere",
      { jwks_uri: "http://keys.example/" },
      undefined,
      "its keys (jwks_uri): the address must be",
    ],
    ["keys at a file", { jwks_uri: "file:///etc/passwd" }, undefined, "its keys (jwks_uri): the address must be"],
    [
      "keys behind a redirect",
      {},
      (answer: { writeHead(status: number, headers: object): { end(): void } }) =>
        answer.writeHead(302, { location: `${issuer.url}/keys` }).end(),
      "status 302",
    ],
    ["no JSON", {}, (answer: { end(text: string): unknown }) => answer.end("<html>"), "it is not JSON"],
    ["a list", {}, (answer: { end(text: string): unknown }) => answer.end("[]"), "not a JSON object"],
    ["no keys", {}, { keys: "none" }, "not a JSON Web Key Set"],
    ["a key that is none", {}, { keys: [7] }, "not a JSON Web Key Set"],
    ["more than 256 KiB", {}, big, "more than 262144 bytes"],
    [
      "an answer that breaks off",
      {},
      (answer: { destroy(): unknown }) => answer.destroy(),
      "the connection was closed",
    ],
  ])("are not taken from %s", async (what, document, keys, reason) => {
    const name = what.replaceAll(/\W/gu, "-");
    const changes =
      typeof document === "function" ? (document as (url: string) => object)(`${issuer.url}/${name}`) : document;
    const keysAt = keys === undefined ? {} : { jwks_uri: `${issuer.url}/keys-of-${name}` };
    if (keys) issuer.answers[`/keys-of-${name}`] = keys;
    const { askNow } = await atPath(name, { ...keysAt, ...changes });
    await expectRefused(service, await askNow(), reason);
  });

  it("do not hold up, while they are read again, tokens whose keys are known", async () => {
    const { askNow, machine, url } = await atPath("slow");
    expect((await askNow()).status).toBe(200);
    service.clock.advance(10_000);
    let open = () => {};
    const { promise: held, resolve } = Promise.withResolvers<void>();
    issuer.answers["/slow/.well-known/openid-configuration"] = (answer) => {
      open = () => answer.end("{}");
      resolve();
    };
    const junk = issuer
      .sign(claims(service, issuer, { iss: url }), { kid: "unknown" })
      .then(async (assertion) => await ask(service, machine, assertion));
    await held;
    let isOver = false;
    void junk.then(() => (isOver = true));
    expect([(await askNow()).status, isOver]).toEqual([200, false]);
    open();
    expect((await junk).status).toBe(401);
  });

  it("are logged when they cannot be read, with the issuer", async () => {
    const { ctx } = service.server.app;
    const warned = vi.spyOn(ctx.log, "warn");
    const { askNow, url } = await atPath("logged", { issuer: "https://other.example" });
    await askNow();
    expect(warned).toHaveBeenCalledWith("the keys of an issuer that clients trust could not be read", {
      issuer: url,
      reason: "its discovery document names another issuer",
    });
    warned.mockRestore();
  });
});
