import { expect, it } from "vitest";
import { dayIn, endOfDay, offeredDays } from "../../src/credentials/personal/rules.ts";

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Asia/Beirut",
  "Africa/Cairo",
  "Pacific/Kiritimati",
  "America/St_Johns",
];
const changesAtMidnight = new Set(["America/Santiago", "Asia/Beirut", "Africa/Cairo"]);
const day = 86_400_000;

it("a named day lasts to its end in each zone, also where clocks are moved at midnight", () => {
  for (const [index, zone] of zones.entries())
    for (
      let at = Date.UTC(2026, 0, 1) + index * day;
      at < Date.UTC(2027, 0, 1);
      at += changesAtMidnight.has(zone) ? day : 5 * day
    ) {
      const named = new Date(at).toISOString().slice(0, 10);
      const ends = endOfDay(named, zone) ?? 0;
      expect([zone, dayIn(zone, ends - 1), dayIn(zone, ends) > named]).toEqual([zone, named, true]);
    }
});

it("no other text is a day", () => {
  for (const text of [
    "",
    "2026-02-29",
    "2026-13-01",
    "2026-1-1",
    "26-01-01",
    "2026-01-01T00:00",
    " 2026-01-01",
    "0000-01-01",
  ])
    expect([text, endOfDay(text, "UTC")]).toEqual([text, undefined]);
});

it("the last day that is offered ends within the maximum, and the next does not", () => {
  for (const zone of zones)
    for (const days of [1, 30, 90, 365])
      for (let now = Date.UTC(2026, 0, 1, 7); now < Date.UTC(2026, 11, 1); now += 39 * day + 5_000_000) {
        const settings = { personalTokens: true, personalTokenMaxDays: days, scopes: [] };
        const { usual, last } = offeredDays({ settings }, zone, now);
        const ends = endOfDay(last, zone) ?? 0;
        const next = endOfDay(dayIn(zone, ends), zone) ?? 0;
        expect([zone, days, ends <= now + days * day, next > now + days * day]).toEqual([zone, days, true, true]);
        expect(usual <= last).toBe(true);
      }
});
