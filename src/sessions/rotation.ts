/** Rotates the refresh tokens of a login (docs/decisions/0003). */
import { hasOrganizations, type Application } from "../applications/application.ts";
import type { Client } from "../applications/clients/client.ts";
import type { Resource } from "../applications/resources/resource.ts";
import * as applications from "../applications/service.ts";
import { isOver, second } from "../lib/clock.ts";
import { isEnough, isFactorRequired } from "../factors/assurance.ts";
import type { RequestSource } from "../lib/request-source.ts";
import * as gate from "../organizations/gate.ts";
import type { Missing } from "../organizations/gate.ts";
import { findMembership, type Membership } from "../organizations/membership-store.ts";
import { endWithProof, isConfined } from "../organizations/provider/provider.ts";
import type { Context } from "../runtime/context.ts";
import { refreshGraces } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import * as users from "../users/service.ts";
import * as ends from "./login-ends.ts";
import { absoluteEnd, endOfUsed, idleSince, livesOf, type Lives } from "./lives.ts";
import { findLogin, findLoginStart, moveLoginEnd, recordOrganization, rotateLogin } from "./login-store.ts";
import type { Login, LoginRotation } from "./login.ts";
import { refreshDigest, successorOf, type RefreshToken } from "./refresh-tokens.ts";
import type { LoginStart, RotatedLogin } from "./rotated-login-store.ts";

/**
 * `application`: as just authenticated. `clientId`: the calling OpenID Connect client; null: the
 * application itself. `resource`: of the login's tokens; null: the application. `proofKey`: the
 * thumbprint of the caller's proven key. `keeps`: the token is not rotated, because it is useless
 * without the client's key. `lives`, `graceSeconds`: of the application and the client.
 */
export type RefreshCall = {
  refreshToken: string;
  application: Application;
  clientId: string | null;
  resource: string | null;
  proofKey: string | null;
  keeps: boolean;
  withoutApiKey: boolean;
  lives?: Lives | undefined;
  graceSeconds?: number;
  enters: Entering;
  source: RequestSource;
};

/**
 * The organization of a refresh. `named`: by the call, with an id, a slug or `none`; undefined: the
 * login's. `client`, `resource` and `scopes`: as in `gate.enter`.
 */
export type Entering = {
  named: string | undefined;
  client?: Pick<Client, "id" | "consent" | "document" | "companySignIn">;
  resource?: Pick<Resource, "companySignIn"> | null;
  scopes: readonly string[];
};

/** Why a refresh gets no tokens. `missing`: for the organization that the call named. */
export type Denial = "refused" | "public-client-only" | { missing: Missing };

/** `organization`: of the access token; undefined: none. */
export type Rotated = { login: RotatedLogin; next: RefreshToken; organization: Membership | undefined };

type Taken = Omit<Rotated, "next">;

/** All but the organization, which is asked for only then. */
type Rotation = Omit<LoginRotation, "organizationId">;

/**
 * Whether the application still allows the login's method, and enough was proven for the policy of
 * now. If not, a refresh is refused without ending the login: the operator may have made a mistake.
 */
function mayContinue(start: LoginStart, application: Application): boolean {
  const { signedInWith, provider } = start;
  if (signedInWith === "operator" || !applications.accepts(application, signedInWith, provider)) return false;
  return isEnough(start, { isRequired: isFactorRequired(application, start), hasFactor: false, takesTrust: true });
}

/**
 * The organization of the next access token; undefined: none. Never another one than the named one
 * or the login's, and never none by itself: a call that is repeated must not act elsewhere.
 */
async function organizationOf(
  handle: Handle,
  start: LoginStart,
  { application, enters: { named, client, ...asking } }: RefreshCall,
  now: number,
): Promise<Membership | undefined | Denial> {
  const wanted = named ?? start.organizationId ?? gate.noOrganization;
  const { userId } = start;
  const entered = await gate.enter(handle, { wanted, application, client, ...asking, userId, proven: start, now });
  if (typeof entered !== "string") return entered;
  return named === undefined ? "refused" : { missing: entered };
}

/**
 * Whether the login keeps what it names when it is written: a switch may run beside a call that
 * names nothing.
 */
function keepsOrganization({ application, enters }: RefreshCall): boolean {
  return enters.named === undefined && hasOrganizations(application);
}

/** What a refresh takes from the settings of the application and the client. */
export function settingsOf(
  application: Application,
  client?: Pick<Client, "loginIdleSeconds" | "loginAbsoluteSeconds" | "refreshGraceSeconds">,
): { lives: Lives | undefined; graceSeconds: number } {
  const graceSeconds = client?.refreshGraceSeconds ?? application.settings.refreshGraceSeconds ?? refreshGraces.usual;
  return { lives: livesOf(application, client), graceSeconds };
}

function isDenial(of: Membership | Taken | undefined | Denial): of is Denial {
  return typeof of === "string" || (of !== undefined && "missing" in of);
}

function rotationTo(
  next: RefreshToken,
  presented: RefreshToken,
  { application, lives }: RefreshCall,
  now: number,
): Rotation {
  return {
    id: presented.loginId,
    appId: application.id,
    presentedDigest: refreshDigest(presented),
    successorDigest: refreshDigest(next),
    generation: next.generation,
    now,
    idleSince: idleSince(lives, now),
  };
}

export async function rotate(
  ctx: Context,
  presented: RefreshToken,
  call: RefreshCall,
  now: number,
): Promise<Rotated | Denial> {
  const next = call.keeps ? presented : successorOf(presented, ctx.keyring);
  const rotation = rotationTo(next, presented, call, now);
  const { lives } = call;
  const taken =
    // Again in a transaction, which waits: `writeOne` skips a login that another transaction has
    // locked. With lives of its own, a refresh also moves the login's end.
    (lives ? undefined : await ctx.storage.writeOne((handle) => rotateIfAllowed(handle, rotation, call))) ??
    (await ctx.storage.write(
      async (tx) =>
        (await rotateWithin(tx, rotation, call)) ?? (await repeatOrRefuse(ctx, tx, presented, rotation, call)),
    ));
  if (isDenial(taken)) return taken;
  // The lives were removed since its last refresh.
  if (!lives && taken.login.expiresAt !== endOf(taken, lives, now))
    await ctx.storage.write((tx) => moveLoginEnd(tx, taken.login.id, endOf(taken, lives, now)));
  return { ...taken, next };
}

/** A confined login ends with its proof, however often it is used. */
function endOf({ login, organization }: Taken, lives: Lives | undefined, now: number): number {
  const end = endOfUsed(login, lives, now);
  return isConfined(login) ? Math.min(end, endWithProof(login, organization?.provider, now) ?? now) : end;
}

/**
 * The same with the lives that are set now, which may have become shorter since the last refresh.
 */
async function rotateWithin(tx: Handle, rotation: Rotation, call: RefreshCall): Promise<Taken | Denial | undefined> {
  const { lives } = call;
  const { now } = rotation;
  if (!lives) return await rotateIfAllowed(tx, rotation, call);
  const before = await findLogin(tx, rotation.id);
  if (before && absoluteEnd(before, lives) <= now) return "refused";
  const taken = await rotateIfAllowed(tx, rotation, call);
  if (taken === undefined || isDenial(taken)) return taken;
  const expiresAt = endOf(taken, lives, now);
  if (expiresAt !== taken.login.expiresAt) await moveLoginEnd(tx, rotation.id, expiresAt);
  return { ...taken, login: { ...taken.login, expiresAt } };
}

/**
 * All that nearly every refresh needs. How a login began never changes, so it is checked before
 * the write. Undefined if `repeatOrRefuse` has to find out why.
 */
async function rotateIfAllowed(
  handle: Handle,
  rotation: Rotation,
  call: RefreshCall,
): Promise<Taken | Denial | undefined> {
  const { application, clientId, resource, proofKey, withoutApiKey } = call;
  const start = await findLoginStart(handle, rotation.id);
  if (start?.appId !== application.id || start.clientId !== clientId) return "refused";
  if (start.resource !== resource) return "refused";
  // Also a reuse: a caller without the key must not end the login.
  if (start.proofKey !== null && start.proofKey !== proofKey) return "refused";
  if (withoutApiKey && !start.publicClient) return "public-client-only";
  if (!mayContinue(start, application)) return undefined;
  const organization = await organizationOf(handle, start, call, rotation.now);
  if (isDenial(organization)) return undefined;
  const organizationId = organization?.organizationId ?? null;
  const asked = keepsOrganization(call) ? null : (organizationId ?? gate.noOrganization);
  const login = await rotateLogin(handle, { ...rotation, organizationId: asked });
  return login && { login: { ...login, organizationId }, organization };
}

/**
 * Gives a token that was just used its successor again; otherwise refuses. An old token ends the
 * login.
 */
async function repeatOrRefuse(
  ctx: Context,
  tx: Handle,
  presented: RefreshToken,
  rotation: Rotation,
  call: RefreshCall,
): Promise<Taken | Denial> {
  const { application, source } = call;
  const { now, presentedDigest } = rotation;
  const login = await findLogin(tx, presented.loginId);
  if (!login || login.endedAt !== null || login.expiresAt <= now) return "refused";
  const start = await findLoginStart(tx, presented.loginId);
  const isNewest = login.refreshDigest === presentedDigest && login.refreshedAt > rotation.idleSince;
  if (!isNewest && !isRepeated(login, rotation, call)) {
    // A reuse takes precedence over other refusals: it shows that somebody has a copy.
    if (presented.generation < login.generation) await ends.endForTokenReuse(ctx, tx, login.id, source, now);
    return "refused";
  }
  const user = start && mayContinue(start, application) ? await users.find(tx, login.userId) : undefined;
  if (!start || !user || user.disabledAt !== null) return "refused";
  const organization = await organizationOf(tx, start, call, now);
  if (isDenial(organization)) return (await endIfLost(ctx, tx, start, call, presented.loginId, now)) ?? organization;
  // Whatever else refused the newest token.
  if (isNewest) return "refused";
  const organizationId = organization?.organizationId ?? null;
  if (!keepsOrganization(call) && organizationId !== login.organizationId)
    await recordOrganization(tx, login.id, organizationId);
  const { email, emailVerified } = user;
  return { login: { ...login, organizationId, email, emailVerified }, organization };
}

/** A confined login ends with the membership, or the proof: it is nothing without them. */
async function endIfLost(
  ctx: Context,
  tx: Handle,
  start: LoginStart,
  { application, source }: RefreshCall,
  id: string,
  now: number,
): Promise<"refused" | undefined> {
  const { userId, organizationId } = start;
  if (!isConfined(start) || !hasOrganizations(application)) return undefined;
  const membership = organizationId === null ? undefined : await findMembership(tx, { organizationId, userId });
  if (membership && !gate.lacksProvider(application, membership, start, now)) return undefined;
  const by = { actor: { kind: "service", name: "logins" }, source } as const;
  await ends.endAlone(ctx, tx, id, { reason: "proof-ended", by }, now);
  return "refused";
}

/**
 * Whether this is the previous token, shortly after its use, and its successor is unused: a client
 * that lost the answer, or made two calls at once, gets the same successor again.
 */
function isRepeated(
  login: Login,
  { presentedDigest, successorDigest, now }: Rotation,
  { graceSeconds = refreshGraces.usual }: RefreshCall,
): boolean {
  const isPredecessor = login.previousDigest === presentedDigest && login.refreshDigest === successorDigest;
  const grace = graceSeconds * second;
  return isPredecessor && !isOver(login.refreshedAt + grace, grace, now);
}
