import { describe, expect, test } from "vitest";
import { createProofs, type ProvenCall } from "../../packages/sdk/src/dpop.ts";
import * as clients from "../../src/applications/clients/service.ts";
import * as logins from "../../src/sessions/login-administration.ts";
import { newProver, prove, type Prover } from "../support/dpop.ts";
import { useService } from "../support/one-service.ts";
import { codeFor, newParty, tokensFor, type Party } from "../support/openid-tokens.ts";
import { by } from "../support/resources.ts";
import { verifiers } from "./verifiers.ts";

const current = useService();
const { clientOf, listeningClient } = verifiers(current);

const invalid = { code: "INVALID_TOKEN" };
const url = "https://api.example.com/orders?page=2";

async function bound(party: Party, prover: Prover): Promise<string> {
  const form = await codeFor(current(), party);
  const { body } = await prove(current(), party, form, await prover.proof("POST", "/oauth2/token"));
  return String(body["access_token"]);
}

async function prepared(algorithm?: string) {
  const party = await newParty(current());
  const prover = await newProver(current(), algorithm);
  const now = () => current().clock.now;
  return {
    party,
    prover,
    token: await bound(party, prover),
    proofs: createProofs({ now }),
    ...clientOf(party.app, { allowedClients: [party.client.id] }),
  };
}

/** A call of an API that is not this service. */
async function callOf(prover: Prover, accessToken: string, changes: Parameters<Prover["proof"]>[2] = {}) {
  const htu = "https://api.example.com/orders";
  const proof = await prover.proof("GET", "", { accessToken, ...changes, claims: { htu, ...changes.claims } });
  return { method: "GET", url, proof } satisfies ProvenCall;
}

describe("verifying a token that is bound to a key", () => {
  test("refuses it without a proof, and an unbound one with", async () => {
    const { client, party, prover, proofs, token } = await prepared();
    await expect(client.verify(token)).rejects.toMatchObject(invalid);
    const plain = (await tokensFor(current(), party)).access_token;
    expect(await client.verify(plain)).toMatchObject({ sub: expect.any(String) as string });
    await expect(client.verify(plain, proofs.of(await callOf(prover, plain)))).rejects.toMatchObject(invalid);
  });

  test("refuses it without a proof also where the service is not asked", async () => {
    const party = await newParty(current());
    const { client, calls } = await listeningClient(party.app, { allowedClients: [party.client.id] });
    const [prover, proofs] = [await newProver(current()), createProofs({ now: () => current().clock.now })];
    const token = await bound(party, prover);
    await expect(client.verify(token)).rejects.toThrow(/cnf/u);
    expect(await client.verify(token, proofs.of(await callOf(prover, token)))).toMatchObject({ cnf: {} });
    await expect(client.verify(token)).rejects.toThrow(/cnf/u);
    expect(calls.filter((path) => /validate|introspect/u.test(path))).toEqual([]);
  });

  test.each(["ES256", "EdDSA", "Ed25519", "RS256", "PS256"])("takes it with a proof by %s, once", async (algorithm) => {
    const { client, prover, proofs, token } = await prepared(algorithm);
    const call = await callOf(prover, token);
    expect(await client.verify(token, proofs.of(call))).toMatchObject({ cnf: { jkt: prover.thumbprint } });
    await expect(client.verify(token, proofs.of(call))).rejects.toThrow(/jti/u);
    current().clock.advance(130_000);
    await expect(client.verify(token, proofs.of(call))).rejects.toThrow(/iat/u);
  });

  test("refuses each wrong proof", async () => {
    const { client, party, prover, proofs, token } = await prepared();
    const now = Math.floor(current().clock.now / 1000);
    const other = await newProver(current());
    const right = await callOf(prover, token);
    const rows: [name: string, Promise<ProvenCall> | ProvenCall][] = [
      ["no header", { ...right, proof: null }],
      ["two headers", { ...right, proof: `${right.proof}, ${right.proof}` }],
      ["no text", { ...right, proof: [right.proof] as unknown as string }],
      ["no signature", { ...right, proof: right.proof.replace(/\.[^.]*$/u, ".") }],
      ["a wrong signature", { ...right, proof: right.proof.replace(/\.[^.]*$/u, ".AAAA") }],
      ["too long", { ...right, proof: "a".repeat(9000) }],
      ["another method", { ...right, method: "POST" }],
      ["another path", { ...right, url: "https://api.example.com/others" }],
      ["another host", { ...right, url: "https://other.example.com/orders" }],
      ["a URL that is none", { ...right, url: "/orders" }],
      ["two that are none", { ...(await callOf(prover, token, { claims: { htu: "/orders" } })), url: "/orders" }],
      ["another key", callOf(other, token)],
      ["another token", callOf(prover, await bound(party, prover))],
      ["no ath", callOf(prover, token, { claims: { ath: undefined } })],
      ["no jti", callOf(prover, token, { claims: { jti: undefined } })],
      ["an old iat", callOf(prover, token, { claims: { iat: now - 61 } })],
      ["an iat to come", callOf(prover, token, { claims: { iat: now + 62 } })],
      ["no iat", callOf(prover, token, { claims: { iat: undefined } })],
      ["another typ", callOf(prover, token, { header: { typ: "JWT" } })],
      ["an extension", callOf(prover, token, { header: { crit: ["b64"], b64: true } })],
      ["no key", callOf(prover, token, { header: { jwk: undefined } })],
      ["another's key", callOf(prover, token, { header: { jwk: other.jwk } })],
      ["a private key", callOf(prover, token, { header: { jwk: prover.privateJwk } })],
    ];
    for (const [name, call] of rows) {
      const refused = client.verify(token, proofs.of(await call)).then(
        () => "taken",
        (error: unknown) => (error as { code: string }).code,
      );
      expect([name, await refused]).toEqual([name, "INVALID_TOKEN"]);
    }
    expect(await client.verify(token, proofs.of(right))).toMatchObject({ cnf: { jkt: prover.thumbprint } });
    const spelled = await callOf(prover, token, { claims: { htu: "HTTPS://API.example.com:443/ord%65rs?x#y" } });
    await client.verify(token, proofs.of(spelled));
  });

  test("refuses a proof that is dated ahead a second time for as long as it could be taken", async () => {
    const { client, prover, proofs, token } = await prepared();
    const ahead = await callOf(prover, token, { claims: { iat: current().clock.now / 1000 + 60 } });
    await client.verify(token, proofs.of(ahead));
    for (const milliseconds of [0, 90_000, 29_999, 1]) {
      current().clock.advance(milliseconds);
      await expect(client.verify(token, proofs.of(ahead))).rejects.toThrow(/jti/u);
    }
    current().clock.advance(1);
    await expect(client.verify(token, proofs.of(ahead))).rejects.toThrow(/iat/u);
  });

  test("takes the same jti of two keys, each once", async () => {
    const { client, party, prover, proofs, token } = await prepared();
    const other = await newProver(current());
    const tokens: [Prover, string][] = [
      [prover, token],
      [other, await bound(party, other)],
    ];
    const send = async ([by, of]: [Prover, string]) =>
      await client.verify(of, proofs.of(await callOf(by, of, { claims: { jti: "the same" } })));
    for (const each of tokens) expect(await send(each)).toMatchObject({ cnf: { jkt: each[0].thumbprint } });
    for (const each of tokens) await expect(send(each)).rejects.toThrow(/jti/u);
  });

  test("takes an iat that is up to 60 seconds off, to the millisecond", async () => {
    const { client, prover, proofs, token } = await prepared();
    const at = current().clock.now / 1000;
    for (const [iat, isTaken] of [
      [at - 60.002, false],
      [at - 59.998, true],
      [at + 59.998, true],
      [at + 60.002, false],
    ] as const) {
      const sent = client.verify(token, proofs.of(await callOf(prover, token, { claims: { iat } })));
      if (isTaken) expect(await sent).toMatchObject({ cnf: {} });
      else await expect(sent).rejects.toThrow(/iat/u);
    }
  });

  test("L10: lets no holder of a token use up what the others need", async () => {
    const { client, party, prover, token } = await prepared();
    const proofs = createProofs({ now: () => current().clock.now, max: 5, perKey: 3 });
    const other = await newProver(current());
    const others = await bound(party, other);
    const send = async () => await client.verify(token, proofs.of(await callOf(prover, token)));
    for (let times = 0; times < 3; times += 1) await send();
    for (let times = 0; times < 5; times += 1) await expect(send()).rejects.toThrow(/too many/u);
    // Nor anybody with a proof by that key for another's token, or with a token that nobody signed.
    const [header = "", payload = ""] = others.split(".");
    const unsigned = `${header}.${payload}.${"A".repeat(86)}`;
    for (let times = 0; times < 5; times += 1) {
      await expect(client.verify(others, proofs.of(await callOf(prover, others)))).rejects.toThrow(/cnf/u);
      await expect(client.verify(unsigned, proofs.of(await callOf(other, unsigned)))).rejects.toThrow(/signature/u);
    }
    for (let times = 0; times < 2; times += 1) await client.verify(others, proofs.of(await callOf(other, others)));
    current().clock.advance(120_001);
    for (let times = 0; times < 3; times += 1) await send();
    await expect(send()).rejects.toThrow(/too many/u);
  });

  test("refuses proofs that it cannot remember, until older ones have ended", async () => {
    const { client, prover, token } = await prepared();
    const proofs = createProofs({ now: () => current().clock.now, max: 2 });
    const send = async (call: ProvenCall) => await client.verify(token, proofs.of(call));
    const first = await callOf(prover, token);
    await send(first);
    await send(await callOf(prover, token));
    await expect(send(await callOf(prover, token))).rejects.toThrow(/too many/u);
    current().clock.advance(59_000);
    await expect(send(first)).rejects.toThrow(/jti/u);
    current().clock.advance(61_001);
    await send(await callOf(prover, token));
  });

  test("asks the service by introspection, which needs no proof, and hears that its login ended", async () => {
    const { client, calls, prover, proofs, token } = await prepared();
    const { sid } = await client.verify(token, proofs.of(await callOf(prover, token)));
    expect(calls).toContain("/oauth2/introspect");
    expect(calls).not.toContain("/auth/validate");
    await logins.end(current().server.app.ctx, sid, { dryRun: false }, by.actor);
    current().clock.advance(6000);
    await expect(client.verify(token, proofs.of(await callOf(prover, token)))).rejects.toMatchObject(invalid);
  });

  test.each([{}, { active: false }, { active: "true" }, { active: 1 }, { active: null }])(
    "refuses it if the service answers %j",
    async (said) => {
      const { party, prover, proofs, token } = await prepared();
      const { client } = clientOf(party.app, {
        allowedClients: [party.client.id],
        intercept: async (path, response) => (path === "/oauth2/introspect" ? Response.json(said) : response),
      });
      await expect(client.verify(token, proofs.of(await callOf(prover, token)))).rejects.toMatchObject(invalid);
    },
  );

  test("refuses it for a client that is disabled", async () => {
    const { client, party, prover, proofs, token } = await prepared();
    await clients.update(current().server.app.ctx, party.client.id, { enabled: false }, by);
    await expect(client.verify(token, proofs.of(await callOf(prover, token)))).rejects.toMatchObject(invalid);
  });
});
