/** What a personal access token is, and what it allows at a moment (docs/decisions/0100). */
import { longestTokenLife, type Application } from "../../applications/application.ts";
import { isSame, type Resource } from "../../applications/resources/resource.ts";
import { day } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { isShowable } from "../../lib/text.ts";
import type { AppSettings } from "../../storage/column-types.ts";
import type { Row } from "../../storage/storage.ts";

/** Only the digest of the token is stored. Instants are epoch milliseconds. */
export type PersonalToken = Row<"personalTokens">;

/** The part of an application's settings that decides about its tokens. */
type TokenSettings = Pick<AppSettings, "personalTokens" | "personalTokenMaxDays" | "scopes" | "organizations">;

/** Live ones of a person. */
export const maxPersonalTokens = 50;
export const maxTokenName = 64;
/** Unless the application's maximum is lower. */
const usualDays = 90;

export function isOn({ settings }: { settings: TokenSettings }): boolean {
  return settings.personalTokens === true;
}

export function tokenNotFound(): AppError {
  return new AppError("TOKEN_NOT_FOUND", "The user has no live personal access token with this id.");
}

/** Whether it lasts longer than tokens of its application may. */
export function isTooLong(
  { createdAt, expiresAt }: Pick<PersonalToken, "createdAt" | "expiresAt">,
  settings: Pick<AppSettings, "personalTokenMaxDays">,
): boolean {
  return expiresAt - createdAt > longestTokenLife(settings);
}

/**
 * The application's scopes that a token may have. None while each token of a person has to name an
 * organization: a personal one names none.
 */
export function offeredScopes({ settings }: { settings: TokenSettings }): string[] {
  return settings.organizations === "required" ? [] : settings.scopes;
}

/** The scopes that a token has now: its own that the application or resource still has. */
export function scopesNow(
  token: Pick<PersonalToken, "scopes" | "resource" | "createdAt" | "appId">,
  application: { settings: TokenSettings },
  resource: Resource | undefined,
): string[] {
  if (token.resource === null) return keptOf(token.scopes, offeredScopes(application));
  // A resource that was deleted and created again is another one.
  if (resource?.appId !== token.appId || !isSame(resource, token.createdAt)) return [];
  return keptOf(token.scopes, scopesOfResource(resource, application));
}

function keptOf(scopes: string[], offered: string[]): string[] {
  return scopes.filter((scope) => offered.includes(scope));
}

export function scopesOfResource(
  { scopes }: Pick<Resource, "scopes">,
  application: { settings: TokenSettings },
): string[] {
  if (application.settings.organizations === "required") return [];
  return scopes.map(({ name }) => name);
}

/** "2026-11-29": the day of an instant in a zone. */
export function dayIn(timeZone: string, at: number): string {
  const { year, month, day: date } = Object.fromEntries(partsIn(timeZone, at).map(({ type, value }) => [type, value]));
  return `${year}-${month}-${date}`;
}

function partsIn(timeZone: string, at: number): Intl.DateTimeFormatPart[] {
  const digits = {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  } as const;
  return new Intl.DateTimeFormat("en-CA-u-ca-gregory-nu-latn", { timeZone, hourCycle: "h23", ...digits }).formatToParts(
    at,
  );
}

/** How far the clocks of a zone are ahead of UTC. */
function aheadIn(timeZone: string, at: number): number {
  const part = Object.fromEntries(partsIn(timeZone, at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day: date = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, date, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

/** When a day such as "2026-11-29" ends in a zone; undefined if the calendar has no such day. */
export function endOfDay(text: string, timeZone: string): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined || year < 2000) return undefined;
  const begins = new Date(Date.UTC(year, month - 1, date));
  if (begins.toISOString().slice(0, 10) !== text) return undefined;
  const midnight = begins.getTime() + day;
  // Clocks may be moved at midnight, or not exist then: try what they say before and after.
  const tried = [midnight - aheadIn(timeZone, midnight - day), midnight - aheadIn(timeZone, midnight + day)];
  return tried.find((at) => dayIn(timeZone, at) > text && dayIn(timeZone, at - 1) === text) ?? Math.max(...tried);
}

/** The last day that a new token may have, and the one that its form names first. */
export function offeredDays(
  { settings }: { settings: TokenSettings },
  timeZone: string,
  now: number,
): { usual: string; last: string } {
  const latest = now + longestTokenLife(settings);
  const lastDay = dayIn(timeZone, latest);
  const isWhole = (endOfDay(lastDay, timeZone) ?? 0) <= latest;
  const last = isWhole ? lastDay : dayIn(timeZone, latest - day);
  const usual = dayIn(timeZone, now + usualDays * day);
  return { usual: usual < last ? usual : last, last };
}

export type NewPersonalToken = {
  name: string;
  scopes: string[];
  /** The identifier of the resource that it is for; null: the application. */
  resource: string | null;
  /** The protected hosts that it opens. */
  hosts: string[];
  /** The last day, such as "2026-11-29", and the zone in which it ends. */
  lastDay: string;
  timeZone: string;
  /** Whether its owner has proved two factors. */
  twoFactors: boolean;
};

/** What somebody can put right in the form. */
export type PersonalTokenProblem =
  | "name-missing"
  | "name-long"
  | "nothing-chosen"
  | "day-missing"
  | "day-late"
  | "full";

/** Why a token cannot be made; otherwise when it ends. `offered`: what its owner may choose. */
export function checkedToken(
  { name, scopes, hosts, lastDay, timeZone }: NewPersonalToken,
  application: Pick<Application, "settings">,
  offered: { scopes: string[]; hosts: string[] },
  now: number,
): { expiresAt: number } | { problem: PersonalTokenProblem } {
  if (name === "" || !isShowable(name)) return { problem: "name-missing" };
  if (name.length > maxTokenName) return { problem: "name-long" };
  const isOffered =
    keptOf(scopes, offered.scopes).length === scopes.length && keptOf(hosts, offered.hosts).length === hosts.length;
  if (!isOffered || scopes.length + hosts.length === 0) return { problem: "nothing-chosen" };
  const expiresAt = endOfDay(lastDay, timeZone);
  if (expiresAt === undefined || expiresAt <= now) return { problem: "day-missing" };
  return expiresAt - now > longestTokenLife(application.settings) ? { problem: "day-late" } : { expiresAt };
}
