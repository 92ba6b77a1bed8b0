import { hash } from "node:crypto";
import { request } from "node:http";
import { decodeJwt, SignJWT } from "jose";
import { expect, it, onTestFinished } from "vitest";
import type { NewClient } from "../../../src/applications/clients/rules.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { aggregatedEvents } from "../../../src/records/audit/aggregated-events.ts";
import { startServer } from "../../../src/process/server.ts";
import { newProver, prove, type Prover } from "../../support/dpop.ts";
import { basic, codeFor, newParty, post } from "../../support/openid-tokens.ts";
import { newMachine } from "../../support/resources.ts";
import {
  atUrl,
  describeEachDatabase,
  describeOnSqlite,
  serviceOfTest,
  type TestService,
} from "../../support/service.ts";

const tokenPath = "/oauth2/token";

/** A machine, and a call of it with a proof. */
async function prepared(service: TestService, changes: Partial<NewClient> = {}, algorithm?: string) {
  const machine = await newMachine(service, changes);
  const prover = await newProver(service, algorithm);
  const form = { grant_type: "client_credentials", resource: machine.resource };
  const ask = async (dpop?: string, at = service) => await prove(at, machine, form, dpop);
  const askWith = async (changed: Parameters<Prover["proof"]>[2]) =>
    await ask(await prover.proof("POST", tokenPath, changed));
  return { machine, prover, form, ask, askWith };
}

const proven = { status: 200, body: { token_type: "DPoP" } };
const refused = { status: 400, body: { error: "invalid_dpop_proof" } };

describeOnSqlite("a DPoP proof (RFC 9449 §4.3)", (current) => {
  it.each(["ES256", "EdDSA", "Ed25519", "RS256", "PS256"])("by %s binds the token to its key", async (algorithm) => {
    const { prover, ask, machine } = await prepared(current(), {}, algorithm);
    const answer = await ask(await prover.proof("POST", tokenPath));
    expect(answer).toMatchObject(proven);
    const token = String(answer.body["access_token"]);
    expect(decodeJwt(token)["cnf"]).toEqual({ jkt: prover.thumbprint });
    const { body } = await post(current(), "/oauth2/introspect", { token }, basic(machine));
    expect(body).toMatchObject({ active: true, token_type: "DPoP", cnf: { jkt: prover.thumbprint } });
  });

  it("rule 1: exactly one header DPoP", async () => {
    const { prover, machine, form, ask } = await prepared(current());
    const [one, two] = [await prover.proof("POST", tokenPath), await prover.proof("POST", tokenPath)];
    // `fetch` joins headers of one name; node:http sends two lines.
    const { hostname, port } = new URL(current().url);
    const status = await new Promise((resolve, reject) => {
      const type = "application/x-www-form-urlencoded";
      const sent = request({ hostname, port, path: tokenPath, method: "POST" }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.setHeader("DPoP", [one, two]);
      for (const [name, value] of Object.entries({ ...basic(machine), "content-type": type }))
        sent.setHeader(name, value);
      sent.on("error", reject).end(new URLSearchParams(form).toString());
    });
    expect(status).toBe(400);
    expect(await ask(`${one}, ${two}`)).toMatchObject(refused);
    expect(await ask(one)).toMatchObject(proven);
  });

  it("rule 2: one JWT, of the form that JWTs have", async () => {
    const { prover, ask } = await prepared(current());
    const proof = await prover.proof("POST", tokenPath);
    const [header = "", claims = ""] = proof.split(".");
    for (const wrong of [
      "x",
      " ",
      `${header}.${claims}`,
      `${proof}.x`,
      `${proof}=`,
      `${header}.e30=.x`,
      "a".repeat(9000),
    ])
      expect([wrong.slice(0, 9), await ask(wrong)]).toMatchObject([wrong.slice(0, 9), refused]);
    expect(await ask(proof)).toMatchObject(proven);
  });

  it("rule 3: all required claims", async () => {
    const { askWith } = await prepared(current());
    for (const claim of ["jti", "htm", "htu", "iat"])
      for (const value of [undefined, null, "", {}])
        expect([claim, value, await askWith({ claims: { [claim]: value } })]).toMatchObject([claim, value, refused]);
  });

  it("rule 4: typ is dpop+jwt", async () => {
    const { askWith } = await prepared(current());
    for (const typ of [undefined, "JWT", "at+jwt", "DPOP+JWT"])
      expect(await askWith({ header: { typ } })).toMatchObject(refused);
  });

  it("rule 5: an asymmetric algorithm that the service and the key have", async () => {
    const { prover, ask } = await prepared(current());
    const { htu, htm, iat } = decodeJwt(await prover.proof("POST", tokenPath));
    const signed = async (header: { alg: string; jwk: object }, key: Uint8Array) =>
      await new SignJWT({ htu, htm, iat, jti: "x" }).setProtectedHeader({ typ: "dpop+jwt", ...header }).sign(key);
    const secret = new Uint8Array(32);
    const symmetric = { kty: "oct", k: Buffer.from(secret).toString("base64url") };
    expect(await ask(await signed({ alg: "HS256", jwk: symmetric }, secret))).toMatchObject(refused);
    expect(await ask(await signed({ alg: "HS256", jwk: prover.jwk }, secret))).toMatchObject(refused);
    const [, claims = ""] = (await prover.proof("POST", tokenPath)).split(".");
    const none = Buffer.from(JSON.stringify({ typ: "dpop+jwt", alg: "none", jwk: prover.jwk })).toString("base64url");
    for (const signature of ["", "AA"]) expect(await ask(`${none}.${claims}.${signature}`)).toMatchObject(refused);
    for (const algorithm of ["ES384", "ES512"]) {
      const { ask: askBy, prover: other } = await prepared(current(), {}, algorithm);
      expect(await askBy(await other.proof("POST", tokenPath))).toMatchObject(refused);
    }
  });

  it("rule 6: the signature is of the key in jwk", async () => {
    const { prover, ask, askWith } = await prepared(current());
    const other = await newProver(current());
    expect(await askWith({ header: { jwk: other.jwk } })).toMatchObject(refused);
    for (const jwk of [undefined, null, "x", {}, [], { ...prover.jwk, y: prover.jwk.x }])
      expect(await askWith({ header: { jwk } })).toMatchObject(refused);
    const [header, , signature] = (await prover.proof("POST", tokenPath)).split(".");
    const [, claims] = (await prover.proof("POST", tokenPath)).split(".");
    expect(await ask([header, claims, signature].join("."))).toMatchObject(refused);
    const crit = { crit: ["b64"], b64: true };
    expect(await askWith({ header: crit })).toMatchObject(refused);
  });

  it("rule 7: jwk holds no private key", async () => {
    const { prover, askWith } = await prepared(current());
    expect(await askWith({ header: { jwk: prover.privateJwk } })).toMatchObject(refused);
  });

  it("rule 8: htm is the method of the call", async () => {
    const { prover, ask } = await prepared(current());
    for (const method of ["GET", "post", "PUT"])
      expect(await ask(await prover.proof(method, tokenPath))).toMatchObject(refused);
  });

  it("rule 9: htu is the public URL of the call, without query and fragment, and normalized", async () => {
    const { askWith } = await prepared(current());
    const { url } = current();
    const { port } = new URL(url);
    const wrong = [
      "",
      "x",
      `${url}/oauth2/par`,
      `${url}${tokenPath}/`,
      `${url}/OAuth2/token`,
      tokenPath,
      `https://x.example`,
    ];
    const others = [`https://localhost:${port}${tokenPath}`, `http://127.0.0.1:${port}${tokenPath}`];
    const user = url.replace("http://", "http://user@");
    for (const htu of [...wrong, ...others, `${user}${tokenPath}`, `${url}.evil.example${tokenPath}`])
      expect([htu, await askWith({ claims: { htu } })]).toMatchObject([htu, refused]);
    const host = url.replace("localhost", "LOCALHOST").replace("http:", "HTTP:");
    const right = [
      `${url}${tokenPath}?a=b`,
      `${url}${tokenPath}#c`,
      `${host}${tokenPath}`,
      `${url}/x/../oauth2/tok%65n`,
    ];
    for (const htu of right) expect([htu, await askWith({ claims: { htu } })]).toMatchObject([htu, proven]);
  });

  it("rule 11: iat is within 60 seconds, either way", async () => {
    const { askWith } = await prepared(current());
    const now = Math.floor(current().clock.now / 1000);
    current().clock.now = now * 1000;
    for (const ahead of [10, 60, 0.5, -10, -60])
      expect([ahead, await askWith({ claims: { iat: now + ahead } })]).toMatchObject([ahead, proven]);
    for (const ahead of [61, -61, 3600, -1e12, 1e300])
      expect([ahead, await askWith({ claims: { iat: now + ahead } })]).toMatchObject([ahead, refused]);
    expect(await askWith({ claims: { iat: String(now) } })).toMatchObject(refused);
    expect(await askWith({ claims: { exp: now } })).toMatchObject(refused);
    expect(await askWith({ claims: { nbf: now + 61 } })).toMatchObject(refused);
  });
});

describeOnSqlite("a client with dpopNonce (RFC 9449 §8)", (current) => {
  it("is given a nonce, and its proof must have it for the next minutes", async () => {
    const service = current();
    const { askWith } = await prepared(service, { dpopNonce: true });
    const told = await askWith({});
    expect(told).toMatchObject({ status: 400, body: { error: "use_dpop_nonce" } });
    const nonce = told.headers.get("dpop-nonce") ?? "";
    expect(await askWith({ nonce })).toMatchObject(proven);
    // Also in the next proof: it is no second jti.
    expect(await askWith({ nonce })).toMatchObject(proven);
    const bytes = Buffer.from(nonce, "base64url");
    bytes.writeUIntBE(service.clock.now + 60_000, 0, 6);
    for (const wrong of ["", "x", `${nonce}A`, bytes.toString("base64url"), hash("sha256", "x", "base64url")])
      expect(await askWith({ nonce: wrong })).toMatchObject({ body: { error: "use_dpop_nonce" } });
    service.clock.advance(5 * 60_000);
    const old = await askWith({ nonce });
    expect(old).toMatchObject({ body: { error: "use_dpop_nonce" } });
    expect(await askWith({ nonce: old.headers.get("dpop-nonce") ?? "" })).toMatchObject(proven);
  });

  it("gets a Bearer token without a proof, and others need no nonce", async () => {
    const { ask } = await prepared(current(), { dpopNonce: true });
    expect(await ask()).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
    const other = await prepared(current());
    expect(await other.askWith({ nonce: "of another server" })).toMatchObject(proven);
  });
});

describeOnSqlite("the setting dpop of a client", (current) => {
  it("required: no token without a proof, by no grant", async () => {
    const service = current();
    const { machine, ask, askWith } = await prepared(service, { dpop: "required" });
    expect(await ask()).toMatchObject(refused);
    expect(await askWith({})).toMatchObject(proven);
    const party = await newParty(service, { dpop: "required" }, machine.app);
    const prover = await newProver(service);
    const form = await codeFor(service, party, { scope: "openid offline_access" });
    expect(await prove(service, party, form)).toMatchObject(refused);
    const tokens = await prove(service, party, form, await prover.proof("POST", tokenPath));
    expect(tokens).toMatchObject(proven);
    const refresh = { grant_type: "refresh_token", refresh_token: String(tokens.body["refresh_token"]) };
    expect(await prove(service, party, refresh)).toMatchObject(refused);
    expect(await prove(service, party, refresh, await prover.proof("POST", tokenPath))).toMatchObject(proven);
  });

  it("off: proofs are ignored, as by a server that knows none", async () => {
    const { prover, ask } = await prepared(current(), { dpop: "off" });
    for (const dpop of [await prover.proof("POST", tokenPath), "x"]) {
      const answer = await ask(dpop);
      expect(answer).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
      expect(decodeJwt(String(answer.body["access_token"]))["cnf"]).toBeUndefined();
    }
  });
});

const publicly = { baseUrl: "https://auth.example.com" };

describeOnSqlite("a service behind a proxy", publicly, (current) => {
  it("rule 9: htu is its public URL, whatever the header Host says", async () => {
    const { askWith } = await prepared(current());
    expect(await askWith({})).toMatchObject(proven);
    expect(await askWith({ claims: { htu: `https://auth.example.com:443${tokenPath}` } })).toMatchObject(proven);
    expect(await askWith({ claims: { htu: `${current().url}${tokenPath}` } })).toMatchObject(refused);
  });
});

it("rule 12: of two nodes, one takes the proof", async () => {
  const service = await serviceOfTest("postgres", publicly);
  const second = await startServer(service.config, { clock: () => service.clock.now });
  onTestFinished(async () => await second.close());
  const { prover, ask } = await prepared(service);
  for (let round = 0; round < 5; round += 1) {
    const proof = await prover.proof("POST", tokenPath);
    const answers = await Promise.all([ask(proof), ask(proof, atUrl(service, second.url)), ask(proof)]);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(await ask(proof, atUrl(service, second.url))).toMatchObject(refused);
  }
});

it("a nonce of one node is good at the other (RFC 9449 §8)", async () => {
  const service = await serviceOfTest("postgres", publicly);
  const second = await startServer(service.config, { clock: () => service.clock.now });
  onTestFinished(async () => await second.close());
  const { prover, ask } = await prepared(service, { dpopNonce: true });
  const told = await ask(await prover.proof("POST", tokenPath));
  const nonce = told.headers.get("dpop-nonce") ?? "";
  expect(await ask(await prover.proof("POST", tokenPath, { nonce }), atUrl(service, second.url))).toMatchObject(proven);
});

describeEachDatabase("rule 12: a proof works once", publicly, (current, control) => {
  it("of many that are sent at once, one is taken; the audit log tells of the others", async () => {
    const service = current();
    const { machine, prover, ask } = await prepared(service);
    const proof = await prover.proof("POST", tokenPath);
    const answers = await Promise.all(Array.from({ length: 10 }, async () => await ask(proof)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body["error"] === "invalid_dpop_proof")).toHaveLength(9);
    const { ctx } = service.server.app;
    await aggregatedEvents(ctx).flush();
    const events = await audit.recent(ctx.storage.reader, { appId: machine.app.id, action: "dpop.replay", since: 0 });
    for (const { details } of events) expect(details).toMatchObject({ clientId: machine.client.id });
    // The service may write its counts in between, which makes two entries.
    expect(events.reduce((sum, { details }) => sum + Number(details["count"] ?? 1), 0)).toBe(9);
  });

  it("also after a restart", async () => {
    const service = current();
    const { prover, ask } = await prepared(service);
    const proof = await prover.proof("POST", tokenPath);
    expect(await ask(proof)).toMatchObject(proven);
    await control.restart();
    const again = await ask(proof);
    expect(again).toMatchObject(refused);
    expect(again.body["error_description"]).toContain("jti");
  });

  it("the same jti of another key is another proof", async () => {
    const { ask, prover } = await prepared(current());
    const other = await newProver(current());
    const claims = { jti: "the same" };
    expect(await ask(await prover.proof("POST", tokenPath, { claims }))).toMatchObject(proven);
    expect(await ask(await other.proof("POST", tokenPath, { claims }))).toMatchObject(proven);
    expect(await ask(await prover.proof("POST", tokenPath, { claims }))).toMatchObject(refused);
  });

  it("is forgotten only when it is too old anyway", async () => {
    const service = current();
    const { askWith } = await prepared(service);
    const iat = Math.floor(service.clock.now / 1000) + 60;
    const claims = { iat, jti: "early" };
    expect(await askWith({ claims })).toMatchObject(proven);
    service.clock.advance(119_000);
    await service.server.app.sweep();
    expect(await askWith({ claims })).toMatchObject(refused);
    service.clock.advance(10 * 60_000);
    await service.server.app.sweep();
    const { reader } = service.server.app.ctx.storage;
    expect(await reader.db.select().from(reader.tables.usedAssertions)).toEqual([]);
  });
});
