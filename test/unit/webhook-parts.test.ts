import { describe, expect, it } from "vitest";
import { day, hour, minute, second } from "../../src/lib/clock.ts";
import { nextAttemptAt, retryAfter } from "../../src/records/webhooks/delivery.ts";
import { checkedSecret } from "../../src/records/webhooks/signature.ts";

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

describe("a secret", () => {
  it.each(["x".repeat(16), "x".repeat(256), "ключ от веб-хука", `whsec_${Buffer.alloc(24).toString("base64")}`])(
    "%s is taken",
    (secret) => {
      expect(checkedSecret(secret)).toBe(secret);
    },
  );
});
