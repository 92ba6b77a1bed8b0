import { day, hour, minute, second } from "./clock.ts";

const units: Record<string, number> = { d: day, h: hour, m: minute, s: second };

/** `90s`, `30m`, `24h` or `7d` in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,9})([smhd])$/u.exec(text) ?? [];
  const length = units[unit];
  return amount === undefined || length === undefined ? undefined : Number(amount) * length;
}

/** The inverse, in the largest unit that is exact: a day is 24h, two are 2d. */
export function durationText(milliseconds: number): string {
  const isShort = (name: string) => name === "d" && milliseconds < 2 * day;
  const [unit, length] = Object.entries(units).find(([name, size]) => !isShort(name) && milliseconds % size === 0) ?? [
    "s",
    second,
  ];
  return `${Math.floor(milliseconds / length)}${unit}`;
}
