import { describe, expect, it } from "vitest";
import { day, hour } from "../../src/lib/clock.ts";
import { hoursOfDrop, signInDrop } from "../../src/upkeep/doctor/sign-in-drop.ts";

type Habit = [name: string, signIns: (localHour: number, weekday: number) => number];

/** Steep edges, as nobody's day is: an hour's shift moves them all. */
const habits: Habit[] = [
  ["an office that opens at 8", (at, weekday) => (weekday > 0 && weekday < 6 && at >= 8 && at < 17 ? 600 : 0)],
  ["a shop with a peak of two hours", (at) => (at === 12 || at === 13 ? 900 : 25)],
  ["a shop with a peak of one hour", (at) => (at === 20 ? 5000 : 60)],
  ["people of every hour", (at) => 200 + 150 * Math.sin(((at - 8) / 12) * Math.PI)],
];

function localTime(zone: string) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hour: "2-digit",
    hourCycle: "h23",
    weekday: "short",
  });
  const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  return (at: number): [hour: number, weekday: number] => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return [Number(parts["hour"]), weekdays.indexOf(parts["weekday"] ?? "")];
  };
}

function followed([, signIns]: Habit, zone: string): (at: number) => number {
  const localAt = localTime(zone);
  const known = new Map<number, number>();
  return (at) => {
    const found = known.get(at) ?? signIns(...localAt(at));
    known.set(at, found);
    return found;
  };
}

const changes: [zone: string, at: string][] = [
  ["Europe/Berlin", "2026-03-29T01:00:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00:00Z"],
  ["America/New_York", "2026-03-08T07:00:00Z"],
  ["America/New_York", "2026-11-01T06:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
];

describe.each(habits)("sign-ins of %s", (...habit) => {
  it.each(changes)("are quiet in the five weeks around the clock change of %s at %s", (zone, at) => {
    const signIns = followed(habit, zone);
    const change = Date.parse(at);
    for (let now = change - 3 * day; now <= change + 32 * day; now += hour)
      expect([new Date(now).toISOString(), signInDrop(signIns, now + 20 * 60_000)]).toEqual([
        new Date(now).toISOString(),
        undefined,
      ]);
  });

  it("alarm once they have stopped for two whole hours of the day", () => {
    const noon = Date.parse("2026-06-10T10:00:00Z");
    const signIns = followed(habit, "Europe/Berlin");
    const usual = signIns(noon);
    // A peak of one hour has neighbours that do not expect it.
    if (Math.min(signIns(noon - hour), usual, signIns(noon + hour), signIns(noon + 2 * hour)) < 20) return;
    const broken = (at: number): number => (at >= noon ? 0 : signIns(at));
    expect(signInDrop(broken, noon + 1.9 * hour)).toBeUndefined();
    expect(signInDrop(broken, noon + 2 * hour)).toMatchObject({ since: noon, counted: 0 });
    expect(signInDrop(broken, noon + 2.5 * hour)?.since).toBe(noon);
  });
});

describe("a fall of sign-ins", () => {
  const now = Date.parse("2026-06-10T12:30:00Z");
  const start = now - (now % hour);
  const constant = (usual: number, last: [number, number]) => (at: number) =>
    at === start - hour ? last[1] : at === start - 2 * hour ? last[0] : at > start - 2 * hour ? 0 : usual;

  it.each([
    [20, [6, 6], true],
    [20, [7, 6], false],
    [20, [6, 7], false],
    [19, [0, 0], false],
    [300, [99, 99], true],
    [300, [100, 99], false],
    [0, [0, 0], false],
  ] as const)("from %i an hour to %j is an alarm: %s", (usual, last, isAlarm) => {
    expect(signInDrop(constant(usual, [...last]), now) !== undefined).toBe(isAlarm);
  });

  it("is not hidden by one odd week", () => {
    const odd = (at: number): number => (at >= start - 2 * hour ? 0 : at > start - 8 * day ? 0 : 100);
    expect(
      signInDrop((at) => (at >= start - 2 * hour || (at < start - 6 * day && at > start - 8 * day) ? 0 : 100), now),
    ).toBeDefined();
    // Since when is not looked for further than a day.
    expect(signInDrop(odd, now)?.since).toBe(start - day);
  });

  it("asks only for the hours that it has read", () => {
    const read = hoursOfDrop(now);
    signInDrop((at) => {
      expect(read.some(({ from, to }) => at >= from && at < to)).toBe(true);
      return at >= start - 30 * hour ? 0 : 100;
    }, now);
  });
});
