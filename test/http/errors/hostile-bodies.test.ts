import { beforeAll, describe, expect, it } from "vitest";
import { initiate, signedUp, validate, type Tokens } from "../../support/person.ts";
import { useApp, describeEachDatabase } from "../../support/service.ts";

const redirectUri = "https://app.example/callback";
/** What every one of these calls must answer: the error object of the contract. */
const errorObject = (code: string) => ({
  error: {
    code,
    message: expect.stringMatching(/\S/u),
    details: expect.any(String),
    requestId: expect.stringMatching(/\S/u),
  },
});

const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string, bigEndian: boolean) => {
  const bytes = Buffer.from(text, "utf16le");
  return new Uint8Array(bigEndian ? bytes.swap16() : bytes);
};
const bytes = (...values: (number | string)[]) =>
  new Uint8Array(
    Buffer.concat(values.map((value) => (typeof value === "string" ? Buffer.from(value) : Buffer.of(value)))),
  );
const good = JSON.stringify({ redirectUri });

/** No JSON text, whatever the route. */
const notJson: [title: string, body: Uint8Array<ArrayBuffer>][] = [
  ["nothing", utf8("")],
  ["white space", utf8(" \n")],
  ["half an object", utf8('{"redirectUri":')],
  ["an object and more", utf8(`${good}x`)],
  ["two objects", utf8(`${good}${good}`)],
  ["a trailing comma", utf8('{"a":1,}')],
  ["single quotes", utf8("{'a':1}")],
  ["bare keys", utf8("{a:1}")],
  ["a comment", utf8(`/* x */${good}`)],
  ["NaN", utf8('{"a":NaN}')],
  ["a number with a leading zero", utf8('{"a":01}')],
  ["undefined", utf8("undefined")],
  ["a raw line break in a string", utf8('{"a":"\n"}')],
  ["a raw NUL", utf8('{"a":"\u0000"}')],
  ["NUL bytes only", new Uint8Array(100)],
  ["a bad escape", utf8('{"a":"\\x41"}')],
  ["a form", utf8(`redirectUri=${encodeURIComponent(redirectUri)}`)],
  ["XML with an entity", utf8('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>')],
  ["UTF-16, little endian", utf16(good, false)],
  ["UTF-16, big endian", utf16(good, true)],
  ["UTF-16 with its mark", utf16(`\uFEFF${good}`, false)],
  ["a lone byte 0xFF", bytes(0xff)],
  ["a closing bracket, 16,000 times", utf8("]".repeat(16_000))],
  ["an opening bracket, 16,000 times", utf8("[".repeat(16_000))],
];

/** What no decoder of UTF-8 may let pass (RFC 3629). */
const notUtf8: [title: string, ...values: number[]][] = [
  ["a continuation byte alone", 0x80],
  ["a byte that never occurs", 0xff],
  ["an overlong slash", 0xc0, 0xaf],
  ["an overlong NUL", 0xc0, 0x80],
  ["half a character", 0xe2, 0x82],
  ["a surrogate", 0xed, 0xa0, 0x80],
  ["what lies beyond Unicode", 0xf5, 0x80, 0x80, 0x80],
  ["Latin-1", 0xfc],
];

/** JSON, but no object of this contract. */
const notTheObject: [title: string, body: string][] = [
  ["null", "null"],
  ["true", "true"],
  ["a number", "1"],
  ["a huge number", "1e999999"],
  ["many digits", "9".repeat(5000)],
  ["a text", JSON.stringify(good)],
  ["an empty list", "[]"],
  ["the object in a list", `[${good}]`],
  ["8,000 lists in each other", `${"[".repeat(8000)}${"]".repeat(8000)}`],
  ["2,000 objects in each other", `${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`],
  ["a field that nests 2,000 deep", `{"state":${"[".repeat(2000)}${"]".repeat(2000)}}`],
  ["1,000 keys", JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, n])))],
  ["a key of 10,000 characters", JSON.stringify({ ["k".repeat(10_000)]: 1 })],
  ["an empty key", '{"":1}'],
  [
    "__proto__",
    '{"__proto__":{"redirectUri":"https://app.example/callback","code":"x","sessionId":"x","refreshToken":"x"}}',
  ],
  ["constructor.prototype", '{"constructor":{"prototype":{"allSessions":true}}}'],
  ["toString", '{"toString":"x"}'],
];

describeEachDatabase("hostile bodies", (current) => {
  const app = useApp(current, { redirectUris: [redirectUri] });
  let tokens: Tokens;
  beforeAll(async () => {
    tokens = await signedUp(current(), app);
  });
  const headersFor = (path: string): Record<string, string> =>
    path === "/auth/logout" ? { authorization: `Bearer ${tokens.accessToken}` } : app.headers;
  const send = async (path: string, body: string | Uint8Array<ArrayBuffer>, type = "application/json") => {
    const response = await fetch(current().url + path, {
      method: "POST",
      headers: { ...headersFor(path), "content-type": type },
      body,
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) as Record<string, unknown> };
  };
  const expectRefused = (answer: Awaited<ReturnType<typeof send>>): void => {
    expect(answer.body).toEqual(errorObject("INVALID_REQUEST"));
    expect(answer.status).toBe(400);
    // Names of keys may be told, shortened; values may not.
    expect(answer.text.length).toBeLessThan(1000);
  };

  describe.each(["/auth/initiate", "/auth/callback", "/auth/refresh", "/auth/logout"])("POST %s", (path) => {
    it.each(notJson)("refuses %s as what it is: not JSON (security rule G4)", async (_title, body) => {
      // Where the body is optional, an empty one is none.
      if (path === "/auth/logout" && body.length === 0) return;
      expectRefused(await send(path, body));
    });

    it.each(notTheObject)("refuses %s (security rules A4, G4)", async (_title, body) => {
      expectRefused(await send(path, body));
    });

    it("is still there afterwards, and nothing was logged out", async () => {
      expect((await validate(current(), app, tokens.accessToken)).status).toBe(200);
      await initiate(current(), app);
      expect(({} as Record<string, unknown>)["allSessions"]).toBeUndefined();
    });
  });

  it.each([
    ["", '{"__proto__":{"name":"x"}}'],
    [" in a part", '{"branding":{"__proto__":{"name":"x"}}}'],
    [" in a list", '{"redirectUris":[{"__proto__":1}]}'],
    [" with an escape", String.raw`{"__pr\u006fto__":1}`],
    [" that is null", '{"__proto__":null}'],
  ])("the key __proto__%s is refused as an unknown one (security rule A4)", async (_where, body) => {
    const path = `/applications/${app.id}`;
    const answer = await fetch(current().url + path, {
      method: "PATCH",
      headers: { ...app.headers, "content-type": "application/json" },
      body,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { details: 'body: unknown key "__proto__"' } });
  });

  it.each(notUtf8)("a text with %s, in a body that is good otherwise, is refused", async (_title, ...values) => {
    expect((await send("/auth/initiate", bytes(`{"redirectUri":"${redirectUri}","state":"x"}`))).status).toBe(200);
    expectRefused(await send("/auth/initiate", bytes(`{"redirectUri":"${redirectUri}","state":"x`, ...values, `"}`)));
  });

  describe("a key that is given twice is refused, wherever readers could differ", () => {
    it.each([
      ["the same", `{"redirectUri":"${redirectUri}","redirectUri":"${redirectUri}"}`],
      ["good, then bad", `{"redirectUri":"${redirectUri}","redirectUri":"https://evil.example/"}`],
      ["bad, then good", `{"redirectUri":"https://evil.example/","redirectUri":"${redirectUri}"}`],
      ["once in escapes", `{"redirectUri":"${redirectUri}","redirect\\u0055ri":"${redirectUri}"}`],
      ["apart", `{"redirectUri":"${redirectUri}","state":"a","scopes":["email"],"state":"b"}`],
      ["with white space before the colon", `{"redirectUri":"${redirectUri}","state" :"a","state"\n:\t"b"}`],
      ["beside texts that look like keys", `{"redirectUri":"${redirectUri}","state":"\\"state\\":","state":"b"}`],
    ])("%s", async (_title, body) => {
      expectRefused(await send("/auth/initiate", body));
    });

    it("and texts that only look like keys are not", async () => {
      const body = { redirectUri, state: '{"redirectUri":"x","state":1} \\" : "state":' };
      expect((await send("/auth/initiate", JSON.stringify(body))).status).toBe(200);
    });
  });

  describe("a text that no database could give back is refused", () => {
    it.each([
      ["NUL", "\\u0000"],
      ["NUL between letters", "a\\u0000b"],
      ["half a surrogate pair", "\\ud800"],
      ["the other half", "\\udc00"],
      ["a pair the wrong way round", "\\udc00\\ud800"],
    ])("%s", async (_title, escaped) => {
      for (const field of ["state", "loginHint", "locale", "redirectUri"]) {
        const body = `{"redirectUri":"${redirectUri}","${field}":"x${escaped}"}`.replace(
          `"redirectUri":"${redirectUri}","redirectUri"`,
          '"redirectUri"',
        );
        expectRefused(await send("/auth/initiate", body));
      }
      expectRefused(await send("/auth/callback", `{"code":"${escaped}","sessionId":"x"}`));
      expectRefused(await send("/auth/callback", `{"code":"x","sessionId":"${escaped}","state":"${escaped}"}`));
      for (const path of ["/auth/refresh", "/auth/logout"]) {
        const { status, body } = await send(path, `{"refreshToken":"${escaped}"}`);
        // It is either no text that storage knows, or a token that nobody knows.
        expect([400, path === "/auth/refresh" ? 401 : 200]).toContain(status);
        if (status !== 200) expect(body).toEqual(errorObject(status === 400 ? "INVALID_REQUEST" : "INVALID_TOKEN"));
      }
    });
  });

  it("a byte order mark in UTF-8 changes nothing but, perhaps, the acceptance (RFC 8259 §8.1)", async () => {
    const { status, body } = await send("/auth/initiate", bytes(0xef, 0xbb, 0xbf, good));
    if (status === 200) expect(Object.keys(body).toSorted()).toEqual(["authUrl", "expiresAt", "sessionId"]);
    else expect([status, body]).toEqual([400, errorObject("INVALID_REQUEST")]);
  });
});
