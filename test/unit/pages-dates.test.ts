import { describe, expect, it } from "vitest";
import { ago, dayOf, momentOf, zonedMomentOf } from "../../src/look/dates.ts";

const now = Date.UTC(2026, 10, 20, 19, 10);
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe("when something was", () => {
  it("is told from now for a week, and never rounded up", () => {
    const times: [number, string][] = [
      [-5 * minute, "now"],
      [0, "now"],
      [59 * second, "now"],
      [minute, "1 minute ago"],
      [hour - second, "59 minutes ago"],
      [hour, "1 hour ago"],
      [day - second, "23 hours ago"],
      [day, "1 day ago"],
      [7 * day - second, "6 days ago"],
      [7 * day, "Nov 13, 2026"],
    ];
    for (const [passed, words] of times) expect(ago(now - passed, now, { lang: "en" }), words).toBe(words);
  });

  it("is told in UTC, which it names, to a reader whose zone is unknown, and in the reader's language", () => {
    expect(dayOf(Date.UTC(2026, 0, 1, 23, 59), { lang: "en" })).toBe("Jan 1, 2026");
    expect(momentOf(now, { lang: "en" })).toMatch(/^Nov 20, 2026, 7:10\sPM UTC$/u);
    expect(momentOf(now, { lang: "de" })).toMatch(/20\. Nov\. 2026.*19:10 UTC/u);
    expect(ago(now - 5 * minute, now, { lang: "de" })).toBe("vor 5 Minuten");
  });

  it("is told in the reader's zone, which only a mail names", () => {
    const berlin = { lang: "en", timeZone: "Europe/Berlin" };
    expect(dayOf(Date.UTC(2026, 0, 1, 23, 59), berlin)).toBe("Jan 2, 2026");
    expect(momentOf(now, berlin)).toMatch(/^Nov 20, 2026, 8:10\sPM$/u);
    expect(zonedMomentOf(now, berlin)).toMatch(/^November 20, 2026 at 8:10\sPM GMT\+1$/u);
  });
});
