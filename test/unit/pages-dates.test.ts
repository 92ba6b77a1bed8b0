import { describe, expect, it } from "vitest";
import { ago, dayOf, momentOf } from "../../src/pages/parts/dates.ts";

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
    for (const [passed, words] of times) expect(ago(now - passed, now, "en"), words).toBe(words);
  });

  it("names the day in UTC, and the zone with the time, in the reader's language", () => {
    expect(dayOf(Date.UTC(2026, 0, 1, 23, 59), "en")).toBe("Jan 1, 2026");
    expect(momentOf(now, "en")).toMatch(/^Nov 20, 2026, 7:10\sPM UTC$/u);
    expect(momentOf(now, "de")).toMatch(/20\. Nov\. 2026.*19:10 UTC/u);
    expect(ago(now - 5 * minute, now, "de")).toBe("vor 5 Minuten");
  });
});
