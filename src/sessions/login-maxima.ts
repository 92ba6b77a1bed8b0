/** How many logins a user has at once (docs/decisions/0102). */
import type { Application } from "../applications/application.ts";
import type { Client } from "../applications/clients/client.ts";
import { maxTokenSeconds } from "../applications/resources/rules.ts";
import { second } from "../lib/clock.ts";
import type { RequestSource } from "../lib/request-source.ts";
import { accessTokenSeconds } from "../lib/token-lives.ts";
import { isConfined } from "../organizations/provider/provider.ts";
import type { Context } from "../runtime/context.ts";
import { loginMaxima } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { idleSince, livesOf } from "./lives.ts";
import { listCountedLogins, type CountedLogin } from "./login-list-store.ts";
import * as ends from "./login-ends.ts";
import { findLoginsBeyond } from "./login-store.ts";
import type { Login } from "./login.ts";

/**
 * `client`: the one that signed the user in; missing or null in `maxLogins`: no maximum of its own.
 */
type Maxima = { application: Application; client?: Pick<Client, "maxLogins"> | undefined };

/** Whether logins are counted, so that each has to say in which browser it is. */
export function areSet({ settings }: Application, client: Maxima["client"]): boolean {
  return settings.maxLogins !== undefined || (client?.maxLogins ?? null) !== null;
}

/**
 * Ends what a new login leaves no room for, but never `started` itself, even if the clocks of nodes
 * differ. Runs at the end of the transaction that started it, with the user locked: of two
 * concurrent logins, the second sees the first.
 */
export async function keep(
  ctx: Context,
  tx: Handle,
  { user, started, ...maxima }: { user: { id: string; loginCount: number }; started: Login } & Maxima,
  source: RequestSource,
  now: number,
): Promise<void> {
  const { application, client } = maxima;
  if (areSet(application, client)) {
    const since = Math.min(idleSince(undefined, now), idleSince(livesOf(application), now));
    const all = await listCountedLogins(tx, { userId: user.id, since, now });
    const { replaced, beyond } = withoutRoom(all, started, maxima);
    await ends.endForNewer(ctx, tx, replaced, "replaced", source, now);
    await ends.endForNewer(ctx, tx, beyond, "too-many", source, now);
  }
  // Fewer sign-ins than that ever: no query needed.
  if (application.settings.maxLogins !== undefined || user.loginCount <= loginMaxima.most) return;
  const lostBefore = now - accessTokenSeconds * second;
  const lostWithResourceBefore = now - maxTokenSeconds * second;
  const countedWith = countedFor(started);
  const lost = { lostBefore, lostWithResourceBefore };
  const most = { userId: user.id, id: started.id, countedWith, most: loginMaxima.most, ...lost, now };
  await ends.endForNewer(ctx, tx, await findLoginsBeyond(tx, most), "too-many", source, now);
}

/**
 * What a login is counted with: the person's own ones, or the confined ones of one organization. So
 * nobody who runs a company's provider pushes anybody out elsewhere (docs/decisions/0108).
 */
function countedFor(login: Pick<Login, "signedInWith" | "organizationId">): string {
  return isConfined(login) ? (login.organizationId ?? "") : "";
}

/**
 * The logins to end, of all that count, newest first. A browser replaces its own of the same
 * client; then the oldest end. The logins of all protected hosts in one browser are one.
 */
export function withoutRoom(
  all: readonly CountedLogin[],
  started: Omit<CountedLogin, "isOfProxy">,
  { application, client }: Maxima,
): { replaced: string[]; beyond: string[] } {
  const own = all.find(({ id }) => id === started.id);
  const others = all.filter((login) => login.id !== started.id && countedFor(login) === countedFor(started));
  const replaced = others.filter((login) => login.clientId === started.clientId && isSameBrowser(login, started));
  const rest = others.filter((login) => !replaced.includes(login));
  const taken = new Set(own ? [placeOf(own)] : [started.id]);
  const beyond = new Set<string>();
  const ofClient = client?.maxLogins ?? Number.POSITIVE_INFINITY;
  for (const { id } of rest.filter(({ clientId }) => clientId === started.clientId).slice(ofClient - 1)) beyond.add(id);
  const ofApplication = application.settings.maxLogins ?? Number.POSITIVE_INFINITY;
  for (const login of rest.filter(({ id }) => !beyond.has(id))) {
    const place = placeOf(login);
    if (taken.has(place) || taken.size < ofApplication) taken.add(place);
    else beyond.add(login.id);
  }
  return { replaced: replaced.map(({ id }) => id), beyond: [...beyond] };
}

function isSameBrowser(
  a: Pick<Login, "browserDigest" | "browserSessionDigest">,
  b: Pick<Login, "browserDigest" | "browserSessionDigest">,
): boolean {
  if (a.browserDigest !== null && a.browserDigest === b.browserDigest) return true;
  return a.browserSessionDigest !== null && a.browserSessionDigest === b.browserSessionDigest;
}

/** What a login counts as. */
function placeOf({ id, isOfProxy, browserDigest, browserSessionDigest: tie }: CountedLogin): string {
  return isOfProxy ? `proxy ${browserDigest ?? tie ?? id}` : id;
}
