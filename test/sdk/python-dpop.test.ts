import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { root } from "../docs/pages.ts";
import { newProver, prove, type Prover } from "../support/dpop.ts";
import { useService } from "../support/one-service.ts";
import { codeFor, newParty, tokensFor, type Party } from "../support/openid-tokens.ts";

const current = useService();
const noPython = noProgram("python3");
beforeEach(({ skip }) => skip(noPython !== undefined, noPython));

/** `verify` for each line, at the time of the service. */
const program = `
import json, sys, time
time.time = lambda: given["now"]
import authsvc
clients = {}
for line in sys.stdin:
    given = json.loads(line)
    key = json.dumps([given["client"], given["allowed"]])
    if key not in clients:
        clients[key] = authsvc.Authsvc(*given["client"], allowed_clients=given["allowed"])
    try:
        call = given["call"]
        answer = clients[key].verify(given["token"], call and authsvc.ProvenCall(*call))
    except authsvc.AuthsvcError as error:
        answer = {"code": error.code, "message": str(error)}
    print(json.dumps(answer), flush=True)
`;
import { noProgram } from "../support/left-out.ts";

let calls: Writable;
let answers: AsyncIterator<string>;
beforeAll(() => {
  if (noPython !== undefined) return;
  const env = { ...process.env, PYTHONPATH: join(root, "packages/python"), PYTHONDONTWRITEBYTECODE: "1" };
  const python = spawn("python3", ["-c", program], { env, stdio: ["pipe", "pipe", "inherit"] });
  calls = python.stdin;
  answers = createInterface(python.stdout)[Symbol.asyncIterator]();
});
afterAll(() => void calls?.end());

type Call = [method: string, url: string, proof: string | null];

async function verify({ app, client }: Party, token: string, call: Call | null): Promise<Record<string, unknown>> {
  const now = current().clock.now / 1000;
  const given = { client: [current().url, app.id, app.apiKey], allowed: [client.id], now, token, call };
  calls.write(`${JSON.stringify(given)}\n`);
  return JSON.parse(String((await answers.next()).value)) as Record<string, unknown>;
}

async function prepared(algorithm?: string) {
  const party = await newParty(current());
  const prover = await newProver(current(), algorithm);
  const form = await codeFor(current(), party);
  const { body } = await prove(current(), party, form, await prover.proof("POST", "/oauth2/token"));
  return { party, prover, token: String(body["access_token"]) };
}

const url = "https://api.example.com/orders?page=2";

async function callOf(
  prover: Prover,
  accessToken: string,
  changes: Parameters<Prover["proof"]>[2] = {},
): Promise<Call> {
  const htu = "https://api.example.com/orders";
  return ["GET", url, await prover.proof("GET", "", { accessToken, ...changes, claims: { htu, ...changes.claims } })];
}

test.each(["ES256", "EdDSA", "RS256", "PS256"])(
  "a bound token is taken with a proof by %s, once",
  async (algorithm) => {
    const { party, prover, token } = await prepared(algorithm);
    const call = await callOf(prover, token);
    expect(await verify(party, token, call)).toMatchObject({ valid: true, clientId: party.client.id });
    expect(await verify(party, token, call)).toMatchObject({ message: expect.stringContaining("jti") as string });
    // The token is remembered, its proof is not.
    expect(await verify(party, token, null)).toMatchObject({ code: "INVALID_TOKEN" });
    expect(await verify(party, token, await callOf(prover, token))).toMatchObject({ valid: true });
  },
);

test("each wrong proof is refused", async () => {
  const { party, prover, token } = await prepared();
  const other = await newProver(current());
  const now = Math.floor(current().clock.now / 1000);
  const [method, , proof] = await callOf(prover, token);
  const rows: [name: string, Promise<Call> | Call | null][] = [
    ["no call", null],
    ["no header", [method, url, null]],
    ["two headers", [method, url, `${proof}, ${proof}`]],
    ["no signature", [method, url, String(proof).replace(/\.[^.]*$/u, ".")]],
    ["no JWT", [method, url, "a.b.c"]],
    ["another method", ["POST", url, proof]],
    ["another path", [method, "https://api.example.com/others", proof]],
    ["two that are no URL", ["GET", "/orders", (await callOf(prover, token, { claims: { htu: "/orders" } }))[2]]],
    ["another key", callOf(other, token)],
    ["another token", callOf(prover, `${token}x`)],
    ["no jti", callOf(prover, token, { claims: { jti: undefined } })],
    ["an old iat", callOf(prover, token, { claims: { iat: now - 62 } })],
    ["an iat to come", callOf(prover, token, { claims: { iat: now + 62 } })],
    ["another typ", callOf(prover, token, { header: { typ: "JWT" } })],
    ["another's key", callOf(prover, token, { header: { jwk: other.jwk } })],
    ["a private key", callOf(prover, token, { header: { jwk: prover.privateJwk } })],
  ];
  for (const [name, call] of rows)
    expect([name, await verify(party, token, await call)]).toMatchObject([name, { code: "INVALID_TOKEN" }]);
  const plain = (await tokensFor(current(), party)).access_token;
  expect(await verify(party, plain, await callOf(prover, plain))).toMatchObject({ code: "INVALID_TOKEN" });
  expect(await verify(party, plain, null)).toMatchObject({ valid: true });
});
