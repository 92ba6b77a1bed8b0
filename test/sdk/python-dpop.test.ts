import { expect, test } from "vitest";
import { newProver, prove, type Prover } from "../support/dpop.ts";
import { useService } from "../support/one-service.ts";
import { codeFor, newParty, tokensFor, type Party } from "../support/openid-tokens.ts";
import { usePython } from "./python.ts";

const current = useService();

/** `verify` for each line, at the time of the service. */
const program = `
import json, sys, time
time.time = lambda: given["now"]
import authsvc
clients = {}
for line in sys.stdin:
    given = json.loads(line)
    vars(authsvc).update(given["limits"])
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

const python = usePython(program);

type Call = [method: string, url: string, proof: string | null];

/** `limits`: constants of the package from here on. */
async function verify({ app, client }: Party, token: string, call: Call | null, limits = {}) {
  const now = current().clock.now / 1000;
  const given = { client: [current().url, app.id, app.apiKey], allowed: [client.id], now, token, call, limits };
  return await python<Record<string, unknown>>(given);
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
    ["no text", [method, url, [proof] as unknown as string]],
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

test("a proof that is dated ahead is refused a second time for as long as it could be taken", async () => {
  const { clock } = current();
  const { party, prover, token } = await prepared();
  // To a full second.
  clock.advance(1000 - (clock.now % 1000));
  const ahead = await callOf(prover, token, { claims: { iat: clock.now / 1000 + 60 } });
  expect(await verify(party, token, ahead)).toMatchObject({ valid: true });
  const said = async (word: string) =>
    expect(await verify(party, token, ahead)).toMatchObject({ message: expect.stringContaining(word) as string });
  for (const milliseconds of [0, 90_000, 30_000]) {
    clock.advance(milliseconds);
    await said("jti");
  }
  clock.advance(1000);
  await said("iat");
});

test("the same jti of two keys is taken, each once", async () => {
  const { party, prover, token } = await prepared();
  const other = await newProver(current());
  const form = await codeFor(current(), party);
  const { body } = await prove(current(), party, form, await other.proof("POST", "/oauth2/token"));
  const tokens: [Prover, string][] = [
    [prover, token],
    [other, String(body["access_token"])],
  ];
  const send = async ([by, of]: [Prover, string]) =>
    await verify(party, of, await callOf(by, of, { claims: { jti: "the same" } }));
  for (const each of tokens) expect(await send(each)).toMatchObject({ valid: true });
  for (const each of tokens)
    expect(await send(each)).toMatchObject({ message: expect.stringContaining("jti") as string });
});

test("L10: no holder of a token, and no stranger, uses up what the others need", async () => {
  const { party, prover, token } = await prepared();
  const limits = { _MAX_PROOFS: 5, _MAX_PROOFS_OF_KEY: 3 };
  const other = await newProver(current());
  const form = await codeFor(current(), party);
  const { body } = await prove(current(), party, form, await other.proof("POST", "/oauth2/token"));
  const others = String(body["access_token"]);
  const send = async (of = others, by = other) => await verify(party, of, await callOf(by, of), limits);
  const taken = { valid: true };
  const tooMany = { message: expect.stringContaining("too many") as string };
  for (let times = 0; times < 3; times += 1) expect(await send(token, prover)).toMatchObject(taken);
  for (let times = 0; times < 5; times += 1) expect(await send(token, prover)).toMatchObject(tooMany);
  // A stranger's token says it is bound to the stranger's key, and nobody signed it.
  const stranger = await newProver(current());
  const [header = "", payload = ""] = token.split(".");
  const claims = {
    ...(JSON.parse(Buffer.from(payload, "base64url").toString()) as object),
    cnf: { jkt: stranger.thumbprint },
  };
  const forged = `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${"A".repeat(86)}`;
  for (let times = 0; times < 5; times += 1)
    expect(await send(forged, stranger)).toMatchObject({
      code: "INVALID_TOKEN",
      message: expect.not.stringContaining("DPoP") as string,
    });
  for (let times = 0; times < 2; times += 1) expect(await send()).toMatchObject(taken);
  expect(await send()).toMatchObject(tooMany);
  current().clock.advance(121_000);
  for (let times = 0; times < 3; times += 1) expect(await send(token, prover)).toMatchObject(taken);
  expect(await send(token, prover)).toMatchObject(tooMany);
});

test("what is no token at all is refused as one that is not valid", async () => {
  const { party, prover, token } = await prepared();
  const [method, url, proof] = await callOf(prover, token);
  const odd = [
    "",
    "x",
    "a.b.c",
    "a.b.c.d",
    "\ud800.\ud800.\ud800",
    "é.é.é",
    "A".repeat(20_000),
    `${token}\n`,
    ` ${token}`,
  ];
  for (const each of odd)
    for (const call of [null, [method, url, proof] as Call])
      expect([each.slice(0, 9), await verify(party, each, call)]).toMatchObject([
        each.slice(0, 9),
        { code: "INVALID_TOKEN" },
      ]);
});
