import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { sampled } from "../../support/long-run.ts";
import { invalidToken } from "../../support/outcomes.ts";
import { call, signedUp, validate, type Tokens } from "../../support/person.ts";
import { useApp, describeOnSqlite } from "../../support/service.ts";

const maxMilliseconds = 10_000;

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

/** What is made of a good token, or in its place. */
const mangled: [title: string, change: (token: string) => string][] = [
  ["padding", (token) => `${token}==`],
  ["the other base64 alphabet", (token) => token.replaceAll("-", "+").replaceAll("_", "/")],
  ["unused bits set at the end (not canonical)", (token) => `${token.slice(0, -1)}${nextDigit(token.at(-1) ?? "")}`],
  ["a space inside", (token) => `${token.slice(0, 50)} ${token.slice(50)}`],
  ["a tab inside", (token) => token.replace(".", ".\t")],
  ["a truncated end", (token) => token.slice(0, -1)],
  ["a truncated start", (token) => token.slice(1)],
  ["two parts", (token) => token.split(".").slice(0, 2).join(".")],
  ["four parts", (token) => `${token}.x`],
  ["a dot at the end", (token) => `${token}.`],
  ["a dot at the start", (token) => `.${token}`],
  ["empty parts", () => ".."],
  ["itself twice", (token) => token + token],
  ["lower case", (token) => token.toLowerCase()],
  ["quotes around it", (token) => `"${token}"`],
  ["12,000 dots", () => ".".repeat(12_000)],
  ["12,000 characters", () => "a".repeat(12_000)],
  ["12,000 characters with two dots", () => `${"a".repeat(4000)}.${"b".repeat(4000)}.${"c".repeat(4000)}`],
  [
    "an encrypted token with a billion iterations",
    () => `${part({ alg: "PBES2-HS512+A256KW", enc: "A256GCM", p2c: 1_000_000_000, p2s: "eA" })}.a.b.c.d`,
  ],
  ["a compressed encrypted token", () => `${part({ alg: "dir", enc: "A256GCM", zip: "DEF" })}..b.c.d`],
  ["a header that nests 3,000 deep", (token) => `${Buffer.from(nested(3000)).toString("base64url")}.${token}`],
  ["two tokens", (token) => `${token},${token}`],
  ["a word", () => "null"],
  ["SQL", () => "'or'1'='1"],
];

const malformedHeaders = [
  "",
  "Bearer",
  "Bearer ",
  "bearer",
  "Bearer  ",
  "Bearer null",
  "Bearer undefined",
  "Bearer %00",
  "Bearer ..",
  "Bearer a b",
  "Bearer a, Bearer b",
  "Basic",
  "Basic !!!",
  "Basic dXNlcjpwYXNz",
  'Digest username="a"',
  "token",
  ":",
  ",",
  "=",
  "\u00ff",
  `Bearer ${"\u00ff".repeat(100)}`,
  `Bearer ${"=".repeat(500)}`,
  "Bearer {}",
  'Bearer {"alg":"none"}',
];

describeOnSqlite("mangled and hostile access tokens", (service) => {
  const app = useApp(service);
  let tokens: Tokens;
  beforeAll(async () => {
    // One token in fifteen is written without "-" and "_": the other alphabet would leave it as it
    // is.
    do tokens = await signedUp(service, app);
    while (!/[-_]/u.test(tokens.accessToken));
  });

  it.each(mangled)("T7, T8, CVE-2026-27840: %s is refused, quickly", async (_title, change) => {
    const token = change(tokens.accessToken);
    expect(token).not.toBe(tokens.accessToken);
    const begun = performance.now();
    expect(await validate(service, app, token)).toMatchObject(invalidToken);
    expect(
      await call(service, "POST", "/auth/logout", { authorization: `Bearer ${token}` }, { allSessions: true }),
    ).toMatchObject(invalidToken);
    expect(performance.now() - begun).toBeLessThan(maxMilliseconds);
    expect((await validate(service, app, tokens.accessToken)).status).toBe(200);
  });

  it("T8, CVE-2026-27840: a token with any one character changed, left out or added is no token", async () => {
    const token = tokens.accessToken;
    const altered = [...token].flatMap((character, at) => {
      if (character === ".") return [];
      const [before, after] = [token.slice(0, at), token.slice(at + 1)];
      return [
        `${before}${character === "A" ? "B" : "A"}${after}`,
        `${before}${after}`,
        `${before}A${character}${after}`,
      ];
    });
    for (const batch of chunks(
      sampled(
        [...new Set(altered)].filter((text) => text !== token),
        5,
      ),
      50,
    )) {
      const answers = await Promise.all(batch.map((text) => validate(service, app, text)));
      for (const [at, answer] of answers.entries()) expect(answer, batch[at]).toMatchObject(invalidToken);
    }
    for (let length = 0; length < token.length; length += 7)
      expect(await validate(service, app, token.slice(0, length)), `${length} characters`).toMatchObject(invalidToken);
    expect((await validate(service, app, token)).status).toBe(200);
  });

  it.each(malformedHeaders)(
    "T7, GHSA-xmf8-cvqr-rfgj: the Authorization header %j is answered 401, not with an error of ours",
    async (authorization) => {
      for (const [method, path] of [
        ["GET", "/auth/validate"],
        ["GET", "/users/profile"],
        ["POST", "/auth/logout"],
        ["POST", "/auth/initiate"],
        ["POST", "/auth/refresh"],
        ["GET", `/applications/${app.id}`],
        ["GET", "/webhooks/endpoints"],
        ["GET", "/api/user"],
      ] as const) {
        const headers = { authorization, "x-service-app-id": app.id };
        const answer = await call(service, method, path, headers, method === "POST" ? {} : undefined);
        expect([path, answer.status]).toEqual([path, 401]);
        expect(answer.body.error?.code).toMatch(/^INVALID_(?:TOKEN|API_KEY)$/u);
      }
    },
  );

  it("T7: thousands of hostile tokens leave the memory as it was", async () => {
    const hostile = [
      ".".repeat(12_000),
      `${part({ alg: "PBES2-HS512+A256KW", enc: "A256GCM", p2c: 1_000_000_000, p2s: "eA" })}.a.b.c.d`,
      `${part({ alg: "ES256", typ: "at+jwt", kid: "k".repeat(9000) })}.e30.AA`,
    ];
    const flood = async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round += 1)
        // A kid of its own each, as somebody does who wants to fill a cache.
        await Promise.all(
          [...hostile, `${part({ alg: "ES256", typ: "at+jwt", kid: `kid-${round}` })}.e30.AA`].map((token) =>
            validate(service, app, token),
          ),
        );
    };
    await flood(100);
    const before = process.memoryUsage().heapUsed;
    await flood(500);
    // 2,000 tokens of 12 KB are 24 MB, and what a garbage collector has not got round to is at most
    // as much again.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
    expect((await validate(service, app, tokens.accessToken)).status).toBe(200);
  });

  describe("too large for any header", () => {
    it.each([
      ["a token of 1 MB", "a".repeat(1_000_000)],
      ["100,000 dots", ".".repeat(100_000)],
    ])("T7: %s is refused before it is read, and the service continues", async (_title, token) => {
      const { port } = new URL(service.url);
      const begun = performance.now();
      const answer = await new Promise<string>((resolve) => {
        let text = "";
        const socket = connect(Number(port), "127.0.0.1");
        socket.on("data", (data) => (text += data.toString("latin1")));
        // It may close before everything is sent.
        socket.on("error", () => undefined);
        socket.once("close", () => resolve(text));
        socket.write(
          `GET /auth/validate HTTP/1.1\r\nHost: x\r\nX-Service-App-ID: ${app.id}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
        );
      });
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /u);
      expect(performance.now() - begun).toBeLessThan(maxMilliseconds);
      expect((await validate(service, app, tokens.accessToken)).status).toBe(200);
    });
  });
});

function chunks<T>(all: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}

/** The digit of base64url that differs in its lowest bit only. */
function nextDigit(digit: string): string {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return digits.charAt(digits.indexOf(digit) ^ 1);
}
