/** The headers of a 200: who it is, and which credentials the program gets. */
import { assertionHeader } from "../applications/clients/proxy.ts";
import * as recentApplications from "../applications/recent.ts";
import type { Context } from "../runtime/context.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import { headerIn } from "./asked.ts";
import * as assertion from "./assertion.ts";
import { withoutOurs } from "./cookies.ts";
import { isOurs } from "./credentials.ts";
import type { ProtectedHost } from "./logins.ts";
import type { Person } from "./person.ts";

export const decisionHeader = "X-Authsvc-Decision";

/** `Authorization` and all else, in bytes; proxies read an answer into 16 KiB. */
const maxAuthorizationBytes = 8 * 1024;
const maxOtherBytes = 6 * 1024;
/** The status line, `Date`, `Connection` and others that Node adds. */
const bytesOfOthers = 300;

/** `count`: how many values are left out with it. */
type Header = { name: string; value: string; count: number; isList?: true; isIdentity?: true };

type Credentials = { rawHeaders: readonly string[]; takesCookie: boolean };

/** The headers that a 200 for this client may carry, without `Authorization` and `Cookie`. */
export function carriedHeaders({ headers }: Pick<ProtectedHost["proxy"], "headers">): string[] {
  const own = headers.map(({ name }) => name).filter((name) => name !== assertionHeader);
  const omitted = [...own, "Authorization", "Cookie", assertionHeader].map((name) => `${name}-Omitted`);
  return [...own, ...omitted, assertionHeader, decisionHeader];
}

/** Decoded once, it is what is stored. `list`: its commas separate. */
function encoded(value: string, list = false): string {
  let text = "";
  for (const byte of Buffer.from(value, "utf8")) {
    const isPlain = byte > 0x20 && byte < 0x7f && byte !== 0x25 && !(list && byte === 0x2c);
    text += isPlain ? String.fromCodePoint(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return text;
}

async function valueOf(ctx: Context, from: string, person: Person, appId: string): Promise<string | null> {
  if (from === "id") return person.userId;
  // A stranger must not become admin@corp.example.
  if (from === "email") return person.emailVerified ? person.email : null;
  if (from === "name") return person.name;
  const [, place = "", key = ""] = /^(private|profile)\.(.*)$/u.exec(from) ?? [];
  // What people write about themselves names nobody.
  if (place === "profile" && !(await recentApplications.serverFields(ctx, appId)).has(key)) return null;
  const sources = await claimSources.ofLogin(ctx, person);
  const values = new Map<string, unknown>(Object.entries(place === "profile" ? sources.profile : sources.private));
  const value = values.get(key);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

/**
 * The headers of a 200 for this person, or for nobody at a public path. `missing`: the source of
 * the identity, which has no value; then there must be no 200.
 */
export async function headersOf(
  ctx: Context,
  { host, appId, proxy }: ProtectedHost,
  person: Person | undefined,
  credentials: Credentials,
  now: number,
): Promise<{ lines: string[] } | { missing: string }> {
  const headers: Header[] = [];
  for (const [at, { name, from }] of (person ? proxy.headers : []).entries()) {
    if (!person) continue;
    if (from === "assertion") headers.push({ name, value: await assertion.sign(ctx, host, person, now), count: 1 });
    else if (from === "groups") {
      const { groups } = person;
      const value = groups.map((group) => encoded(group, true)).join(",");
      if (groups.length > 0) headers.push({ name, value, count: groups.length, isList: true });
    } else {
      const value = (await valueOf(ctx, from, person, appId)) ?? "";
      if (value !== "") headers.push({ name, value: encoded(value), count: 1, ...(at === 0 && { isIdentity: true }) });
      else if (at === 0) return { missing: from };
    }
  }
  const { authorization, cookie } = passedOn(ctx, proxy.passTokens, credentials);
  if (cookie !== undefined) headers.push({ name: "Cookie", value: cookie, count: 1 });
  const fitting = fittingOf(headers, host);
  if (!fitting) return { missing: proxy.headers[0]?.from ?? "" };
  const lines = [decisionHeader, host, ...fitting];
  if (authorization !== undefined)
    lines.push(
      ...(authorization.length <= maxAuthorizationBytes
        ? ["Authorization", authorization]
        : ["Authorization-Omitted", "1"]),
    );
  return { lines };
}

/** Leaves out whole headers, lists first, until all fit. Undefined if the identity does not fit. */
function fittingOf(headers: readonly Header[], host: string): string[] | undefined {
  const kept = [...headers];
  const omitted: Header[] = [];
  const linesOf = (): string[] => [
    ...kept.flatMap(({ name, value }) => [name, value]),
    ...omitted.flatMap(({ name, count }) => [`${name}-Omitted`, String(count)]),
  ];
  const bytes = (lines: string[]): number => lines.reduce((sum, text) => sum + text.length + 2, 0);
  const room = maxOtherBytes - bytesOfOthers - bytes([decisionHeader, host]);
  while (bytes(linesOf()) > room) {
    const list = kept.findLastIndex(({ isList }) => isList);
    const at = list === -1 ? kept.findLastIndex(({ isIdentity }) => !isIdentity) : list;
    if (at === -1) return undefined;
    omitted.unshift(...kept.splice(at, 1));
  }
  return linesOf();
}

/** Ours never reaches the program; what is not ours passes byte for byte. */
function passedOn(
  ctx: Context,
  passTokens: boolean,
  { rawHeaders, takesCookie }: Credentials,
): { authorization: string | undefined; cookie: string | undefined } {
  const given = headerIn(rawHeaders, "authorization");
  const isTooLong = (given?.length ?? 0) > maxAuthorizationBytes;
  const passes = given !== undefined && (passTokens || isTooLong || !isOurs(given, ctx.baseUrl));
  const cookies = takesCookie ? headerIn(rawHeaders, "cookie") : undefined;
  return {
    authorization: passes ? given : undefined,
    cookie: cookies === undefined ? undefined : withoutOurs(cookies),
  };
}
