import { InvalidArgumentError } from "commander";
import type * as z from "zod";
import type { NewProfileField } from "../../applications/profile-fields.ts";
import { didYouMean, nearest } from "../../lib/nearest.ts";
import { parseDuration } from "../../lib/durations.ts";
import { claimList, ownTextList, profileFieldList } from "../../upkeep/desired-state/state-schema.ts";
import { day, second } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { momentRule, parseMoment } from "../../lib/moments.ts";
import type { ApplicationClaim, OwnText } from "../../storage/column-types.ts";

/** `90s`, `30m`, `24h` or `7d` in milliseconds: the only form of durations on the command line. */
export function durationFrom(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) throw new InvalidArgumentError("Use a whole number and a unit: 90s, 30m, 24h or 7d.");
  return milliseconds;
}

/** `off`, or a duration, in seconds; 0 is off. */
export function secondsOrOff(text: string): number {
  return text === "off" ? 0 : secondsFrom(text);
}

/** Entries separated by commas. */
export function listOf(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** A duration in seconds. */
export function secondsFrom(text: string): number {
  return durationFrom(text) / second;
}

/** `off`, or a duration of whole days, in days; 0 is off. */
export function daysOrOff(text: string): number {
  const days = text === "off" ? 0 : durationFrom(text) / day;
  if (!Number.isInteger(days)) throw new InvalidArgumentError("Use whole days, such as 30d, or off.");
  return days;
}

/** A past moment as epoch milliseconds: a duration ago, or an ISO 8601 date (UTC) or instant. */
export function sinceFrom(text: string): number {
  const moment = parseMoment(text, Date.now());
  if (moment === undefined) throw new InvalidArgumentError(`Use ${momentRule}.`);
  return moment;
}

/** The JSON value of a flag, if it is given. Throws INVALID_REQUEST naming the flag. */
export function jsonOf(flag: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new AppError("INVALID_REQUEST", `${flag} must be JSON`, { cause });
  }
}

/** The claims of an application, as a JSON list; none for an empty text. Throws INVALID_REQUEST. */
export function claimsFrom(text: string): ApplicationClaim[] {
  return listFrom("--claims", claimList, text);
}

/** Its profile fields, likewise. */
export function profileFieldsFrom(text: string): NewProfileField[] {
  return listFrom("--profile-fields", profileFieldList, text);
}

/** Its own words, likewise. */
export function textsFrom(text: string): OwnText[] {
  return listFrom("--texts", ownTextList, text);
}

function listFrom<T>(flag: string, schema: z.ZodType<T[]>, text: string): T[] {
  if (text === "") return [];
  const parsed = schema.safeParse(jsonOf(flag, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join(".") ?? "";
  throw new AppError("INVALID_REQUEST", `${flag}${place === "" ? "" : ` ${place}`}: ${issue?.message}`);
}

/** A parser for whole numbers from `least` to `most`. */
export function wholeNumberFrom(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/u.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most))
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return value;
  };
}

/** One of some words. */
export function wordOf<const Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((word) => word === text);
    if (word === undefined)
      throw new InvalidArgumentError(`Use one of ${words.join(", ")}${didYouMean(nearest(text, words))}`);
    return word;
  };
}

/** Some of these words, separated by commas. */
export function wordsOf<const Word extends string>(words: readonly Word[]): (list: string) => Word[] {
  const one = wordOf(words);
  return (list) => list.split(",").map((entry) => one(entry.trim()));
}

/** Kinds of events, separated by commas; the service checks them. */
export function eventsFrom(list: string): string[] {
  return list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
