import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { call, signedUp, validate, type Tokens } from "../support/person.ts";
import { describeEachDatabase, type TestApp } from "../support/service.ts";

const invalidToken = { status: 401, body: { error: { code: "INVALID_TOKEN" } } };
const mostMilliseconds = 1000;

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

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
  ["a word", () => "null"],
  ["SQL", () => "'or'1'='1"],
];

describeEachDatabase("mangled and hostile access tokens", (current) => {
  let app: TestApp;
  let tokens: Tokens;
  beforeAll(async () => {
    app = await current().createApp();
    // One token in fifteen is written without "-" and "_": the other alphabet would leave it as it is.
    do tokens = await signedUp(current(), app);
    while (!/[-_]/u.test(tokens.accessToken));
  });

  it.each(mangled)("refuses %s, quickly (security rules T7, T8)", async (_title, change) => {
    const token = change(tokens.accessToken);
    expect(token).not.toBe(tokens.accessToken);
    const begun = performance.now();
    expect(await validate(current(), app, token)).toMatchObject(invalidToken);
    expect(
      await call(current(), "POST", "/auth/logout", { authorization: `Bearer ${token}` }, { allSessions: true }),
    ).toMatchObject(invalidToken);
    expect(performance.now() - begun).toBeLessThan(mostMilliseconds);
    expect((await validate(current(), app, tokens.accessToken)).status).toBe(200);
  });

  it("refuses a token with any tenth character changed (security rule T8)", async () => {
    const token = tokens.accessToken;
    for (let at = 0; at < token.length; at += 10) {
      if (token[at] === ".") continue;
      const altered = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
      expect(await validate(current(), app, altered), `character ${at}`).toMatchObject(invalidToken);
    }
  });

  describe("too large for any header", () => {
    it.each([
      ["a token of 1 MB", "a".repeat(1_000_000)],
      ["100,000 dots", ".".repeat(100_000)],
    ])("%s is refused before it is read, and the service goes on (security rule T7)", async (_title, token) => {
      const { port } = new URL(current().url);
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
      expect(performance.now() - begun).toBeLessThan(mostMilliseconds);
      expect((await validate(current(), app, tokens.accessToken)).status).toBe(200);
    });
  });
});

/** The digit of base64url that differs in its lowest bit only. */
function nextDigit(digit: string): string {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return digits.charAt(digits.indexOf(digit) ^ 1);
}
