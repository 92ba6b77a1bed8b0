import { describe, expect, it } from "vitest";
import { Webhook } from "standardwebhooks";
import { day, hour, minute, second } from "../../src/lib/clock.ts";
import { eventKinds } from "../../src/storage/column-types.ts";
import { nextAttemptAt, retryAfter } from "../../src/webhooks/delivery.ts";
import { bodyOf, sampleOf } from "../../src/webhooks/event.ts";
import { checkedSecret, signedHeaders } from "../../src/webhooks/signature.ts";

const now = Date.UTC(2026, 10, 20, 12);

describe("the schedule", () => {
  it("has ten attempts over about three days, each wait spread by a fifth", () => {
    const waits = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
    waits.forEach((wait, index) => {
      const at = (chance: number) => (nextAttemptAt({ attempts: index + 1 }, chance, now) ?? 0) - now;
      expect([at(0), at(0.5), at(1)]).toEqual([wait * 0.8, wait, wait * 1.2].map(Math.round));
    });
    expect(nextAttemptAt({ attempts: 10 }, 0.5, now)).toBeNull();
  });

  it("waits as long as a receiver asks for, within a day, and never less than it would have", () => {
    const at = (retryAfterMilliseconds: number) =>
      (nextAttemptAt({ attempts: 1, retryAfterMilliseconds }, 0.5, now) ?? 0) - now;
    expect([at(0), at(minute), at(3 * day)]).toEqual([5 * second, minute, day]);
  });

  it.each([
    ["120", 120 * second],
    [" 5 ", 5 * second],
    ["Fri, 20 Nov 2026 12:01:00 GMT", minute],
    ["Fri, 20 Nov 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["-5", undefined],
    ["1e9", undefined],
    ["2026-11-20", undefined],
    ["99999999999999999999", undefined],
    [undefined, undefined],
  ])("reads Retry-After: %s as %s", (header, milliseconds) => {
    expect(retryAfter(header, now)).toBe(milliseconds);
  });
});

describe("a signature", () => {
  const body = bodyOf(sampleOf("user.login", Date.now()));
  const headersOf = (...secrets: string[]) => signedHeaders({ id: "evt_1", body }, secrets, Date.now());
  const verify = (secret: string | Buffer, headers: Record<string, string>, text = body): unknown =>
    (typeof secret === "string" ? new Webhook(secret) : new Webhook(secret, { format: "raw" })).verify(text, headers);

  it("of a whsec_ secret uses the bytes behind it, of any other text its UTF-8 bytes", () => {
    const encoded = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
    expect(verify(encoded, headersOf(encoded))).toEqual(JSON.parse(body));
    const plain = "a passphrase with umlauts: äöü";
    expect(verify(Buffer.from(plain), headersOf(plain))).toEqual(JSON.parse(body));
  });

  it("is refused by a receiver when body, id or time are others", () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
    const headers = headersOf(secret);
    expect(() => verify(secret, headers, `${body} `)).toThrow();
    expect(() => verify(secret, { ...headers, "webhook-id": "evt_2" })).toThrow();
    expect(() =>
      verify(secret, { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 1) }),
    ).toThrow();
    const late = signedHeaders({ id: "evt_1", body }, [secret], Date.now() - 6 * minute);
    expect(() => verify(secret, late)).toThrow();
  });

  it("stands beside that of the secret before it for as long as both are good", () => {
    const [older, newer] = [1, 2].map((fill) => `whsec_${Buffer.alloc(32, fill).toString("base64")}`) as [
      string,
      string,
    ];
    const headers = headersOf(newer, older);
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    for (const secret of [older, newer]) expect(verify(secret, headers)).toEqual(JSON.parse(body));
  });
});

describe("a secret", () => {
  it.each(["x".repeat(16), "x".repeat(256), "ключ от веб-хука", `whsec_${Buffer.alloc(24).toString("base64")}`])(
    "%s is taken",
    (secret) => {
      expect(checkedSecret(secret)).toBe(secret);
    },
  );

  it.each([
    ["too short", "x".repeat(15)],
    ["too long", "x".repeat(257)],
    ["a line break", `${"x".repeat(16)}\n`],
    ["NUL", `${"x".repeat(16)}\0`],
    ["half a character", `${"x".repeat(16)}\uD800`],
    ["no base64", "whsec_not base64 at all!"],
    ["base64url", `whsec_${Buffer.alloc(24, 255).toString("base64url")}`],
    ["no padding", `whsec_${Buffer.alloc(25).toString("base64").replaceAll("=", "")}`],
    ["few bytes", `whsec_${Buffer.alloc(8).toString("base64")}`],
  ])("with %s is refused without being repeated", (_problem, secret) => {
    try {
      checkedSecret(secret);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: "INVALID_REQUEST", details: expect.stringMatching(/^secret: /u) });
      expect((error as { details: string }).details).not.toContain(secret.slice(6));
    }
  });
});

describe("a body", () => {
  it.each(eventKinds)("of %s has the contract's keys, all of them, in one order", (kind) => {
    const body = JSON.parse(bodyOf(sampleOf(kind, now))) as { data: Record<string, unknown> };
    expect(Object.keys(body)).toEqual(["event", "timestamp", "data"]);
    expect(Object.keys(body.data)).toEqual(["userId", "email", "authMethod", "ipAddress", "userAgent", "sessionId"]);
    expect(body).toMatchObject({ event: kind, timestamp: "2026-11-20T12:00:00.000Z" });
  });
});
