/** Who is signed in at a protected host, by the cookie of that host. */
import { LRUCache } from "lru-cache";
import type { ProxySettings } from "../storage/column-types.ts";
import { isEnough } from "../factors/assurance.ts";
import { admitsGroups } from "../applications/clients/proxy.ts";
import { clientUses } from "../applications/clients/uses.ts";
import * as recentApplications from "../applications/recent.ts";
import * as applications from "../applications/service.ts";
import { minute, second } from "../lib/clock.ts";
import { digestOf } from "../lib/random.ts";
import { part, type Context } from "../runtime/context.ts";
import { findHost, findProxyLogin, recordUse, sweepProxyLogins, type FoundHost, type FoundLogin } from "./store.ts";

/** A host of an enabled client. */
export type ProtectedHost = {
  host: string;
  clientId: string;
  appId: string;
  allowedGroups: string[] | null;
  proxy: ProxySettings;
};

/** A live login of a host. Whether it may use the host is `refusalOf`'s decision. */
export type ProxyLogin = {
  loginId: string;
  digest: string;
  userId: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  /** Sorted by name. */
  groups: string[];
  signedInWith: FoundLogin["signedInWith"];
  proofs: FoundLogin["proofs"];
  secondFactor: FoundLogin["secondFactor"];
  claimsVersion: number;
  /** A second factor is required by the client or one of the groups. */
  isRequired: boolean;
  lastUsedAt: number;
};

/** Uses within a minute count as one. */
const usesAreOneWithin = minute;
const cookieForm = /^[\w-]{43}$/u;

/** How long a host's settings are cached, as an application's are. Logins are not. */
const hostsAreKnownFor = second;
const recentHosts = part(() => new LRUCache<string, FoundHost & { readAt: number }>({ max: 1000 }));

/** `isCached` false: a public path is open only while the database answers. */
async function hostAt(ctx: Context, host: string, isCached: boolean, now: number): Promise<FoundHost | undefined> {
  const known = isCached ? recentHosts(ctx).get(host) : undefined;
  if (known && Math.abs(now - known.readAt) < hostsAreKnownFor) return known;
  const found = await findHost(ctx.storage.reader, host);
  if (found) recentHosts(ctx).set(host, { ...found, readAt: now });
  return found;
}

/**
 * The host, if an enabled client protects it, and the live login of `cookie`, if it is one of this
 * host.
 */
export async function at(
  ctx: Context,
  host: string,
  cookie: string | undefined,
  now: number,
): Promise<{ host: ProtectedHost; login: ProxyLogin | undefined } | undefined> {
  const isAsked = cookie !== undefined && cookieForm.test(cookie);
  const found = await hostAt(ctx, host, isAsked, now);
  if (!found?.proxy || found.disabledAt !== null || !applications.isSurelyUsable(ctx, found.appId)) return undefined;
  const { clientId, appId, allowedGroups, proxy, policy } = found;
  const ours = { host, clientId, appId, allowedGroups, proxy };
  if (!isAsked) return { host: ours, login: undefined };
  const digest = digestOf(cookie);
  const login = await findProxyLogin(ctx.storage.reader, { digest, host, clientId, now });
  return { host: ours, login: login && liveLogin(login, { proxy, policy, digest }, now) };
}

function liveLogin(
  found: FoundLogin,
  { proxy, policy, digest }: { proxy: ProxySettings; policy: FoundHost["policy"]; digest: string },
  now: number,
): ProxyLogin | undefined {
  const { loginId, lastUsedAt, createdAt } = found;
  const { idle, absolute } = proxy.sessionSeconds;
  // The stored end may be later: an operator may have shortened the lives since.
  if (lastUsedAt + idle * second <= now || createdAt + absolute * second <= now) return undefined;
  const { userId, userEmail, userEmailVerified, userName } = found;
  const { signedInWith, proofs, secondFactor, claimsVersion } = found;
  const words = found.groups?.split(" ") ?? [];
  return {
    loginId,
    digest,
    userId,
    email: userEmail,
    emailVerified: userEmailVerified === true,
    name: userName,
    groups: words.filter((word) => word !== "*").toSorted(),
    signedInWith,
    proofs,
    secondFactor,
    claimsVersion,
    isRequired: policy === "required" || words.includes("*"),
    lastUsedAt,
  };
}

/** Why somebody who is signed in may not use a host. */
export type Refusal = "groups" | "second-factor" | "identity";

/** Undefined if the login may use the host now. */
export async function refusalOf(
  ctx: Context,
  host: ProtectedHost,
  login: ProxyLogin,
): Promise<Exclude<Refusal, "identity"> | undefined> {
  if (!admitsGroups(host, login.groups)) return "groups";
  const asked = { hasFactor: false, takesTrust: true };
  if (isEnough(login, { ...asked, isRequired: true })) return undefined;
  return login.isRequired || (await recentApplications.asksFactor(ctx, host.appId)) ? "second-factor" : undefined;
}

const writing = part(
  () => new Set<Promise<void>>(),
  async (all) => void (await Promise.all(all)),
);

/** Whether a use at `now` is to be written. */
export function usesAreDue({ lastUsedAt }: Pick<ProxyLogin, "lastUsedAt">, now: number): boolean {
  return lastUsedAt <= now - usesAreOneWithin;
}

/** Records a use. Nobody waits for it: a database that cannot be written still lets people in. */
export function noteUse(
  ctx: Context,
  { host, login }: { host: Pick<ProtectedHost, "clientId" | "proxy">; login: Pick<ProxyLogin, "digest"> },
  now: number,
): void {
  clientUses(ctx).note(host.clientId, now);
  const all = writing(ctx);
  const idleAt = now + host.proxy.sessionSeconds.idle * second;
  const use = { digest: login.digest, now, notAfter: now - usesAreOneWithin, idleAt };
  const written: Promise<void> = ctx.storage
    .write((tx) => recordUse(tx, use))
    .catch((error: unknown) => ctx.log.error("a use of a protected host could not be recorded", error))
    .finally(() => all.delete(written));
  all.add(written);
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write((tx) => sweepProxyLogins(tx, now));
}
