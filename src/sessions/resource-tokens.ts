/** Tokens for a resource (RFC 8707): of a user's login, or of a machine. */
import type { UsableClient } from "../applications/clients/client.ts";
import * as machineCredentials from "../applications/clients/machine-credentials.ts";
import * as clients from "../applications/clients/service.ts";
import * as resources from "../applications/resources/service.ts";
import { second } from "../lib/clock.ts";
import { isUsable, lacksProvider } from "../organizations/gate.ts";
import type { Membership } from "../organizations/membership-store.ts";
import { isConfined } from "../organizations/provider/provider.ts";
import type { Context } from "../runtime/context.ts";
import { findLiveUser, findLogin } from "./login-store.ts";
import type { LiveUser, Login } from "./login.ts";
import * as accessTokens from "../tokens/access-tokens.ts";
import { actorsOf, type ResourceTokenClaims } from "../tokens/access-tokens.ts";
import * as liveOrganizations from "../tokens/live-organizations.ts";
import { listSigningKeyIds } from "../tokens/signing-key-store.ts";

/** Of a user's login. */
export type PersonsToken = {
  claims: ResourceTokenClaims;
  login: Login;
  user: LiveUser;
  /** Of the organization that the token names. */
  membership?: Membership;
  /** It rests on that organization's provider alone. */
  isConfined?: true;
};

/** `registration`: its client, as currently stored. */
export type ResourceToken = Checks & (PersonsToken | { claims: ResourceTokenClaims });

type Checks = { registration: UsableClient };
type Reason = { reason: string; expired?: true };

const lost: Reason = { reason: liveOrganizations.ended };

/** The clients without which a token holds no longer: the login's, and those that act in it. */
export function partiesOf({ claims, login }: Pick<PersonsToken, "claims" | "login">): Set<string> {
  return new Set([login.clientId ?? login.appId, ...actorsOf(claims)]);
}

/**
 * Why the token is invalid, by its client, login or credential; otherwise its client, login and
 * user.
 */
async function checked(ctx: Context, claims: ResourceTokenClaims, kid: string): Promise<Checks | Reason> {
  const { reader } = ctx.storage;
  const resource = await resources.ofToken(ctx, reader, { identifier: claims.aud[0], appId: claims.app_id });
  // One that was created again is another one.
  if (!resource || claims.iat < Math.floor(resource.createdAt / second)) return { reason: "its resource was deleted" };
  const registration = await clients.find(ctx, reader, claims.client_id, { resource: claims.aud[0] });
  if (registration?.application.id !== claims.app_id) return { reason: "its client was disabled or deleted" };
  return claims.sid === undefined
    ? await checkedMachine(ctx, registration, { claims, credential: claims.credential_id, kid })
    : await checkedLogin(ctx, registration, { claims, loginId: claims.sid, kid });
}

async function checkedMachine(
  ctx: Context,
  registration: UsableClient,
  { claims, credential, kid }: { claims: ResourceTokenClaims; credential: string; kid: string },
): Promise<Checks | Reason> {
  const { reader } = ctx.storage;
  const { client, application } = registration;
  const isOther = (claims.org_id ?? null) !== client.organizationId;
  if (isOther && !(await liveOrganizations.isOwnClaim(ctx, claims)))
    return { reason: "its client has another organization" };
  if (!(await isUsable(reader, application, client.organizationId))) return { reason: "its organization has ended" };
  if (!(await machineCredentials.isLive(reader, client, credential, ctx.clock())))
    return { reason: "what got it has ended (credential_id)" };
  // The process may not know yet that another one withdrew the key.
  if (!(await listSigningKeyIds(reader)).includes(kid)) return { reason: "its signing key was withdrawn" };
  return { registration };
}

async function checkedLogin(
  ctx: Context,
  registration: UsableClient,
  { claims, loginId, kid }: { claims: ResourceTokenClaims; loginId: string; kid: string },
): Promise<(Checks & Pick<PersonsToken, "login" | "user" | "membership" | "isConfined">) | Reason> {
  const { reader } = ctx.storage;
  const { client, application } = registration;
  const user = await findLiveUser(reader, { loginId, kid, now: ctx.clock() });
  const login = user?.id === claims.sub ? await findLogin(reader, loginId) : undefined;
  if (!user || !login) return { reason: "its login has ended or its key was withdrawn" };
  for (const party of partiesOf({ claims, login }))
    if (party !== client.id && !(await clients.find(ctx, reader, party)))
      return { reason: `its client ${party} was disabled or deleted` };
  const confined = isConfined(login) ? ({ isConfined: true } as const) : {};
  if (claims.org_id === undefined) return isConfined(login) ? lost : { registration, login, user };
  const named = { amr: [], ...claims, sid: loginId };
  const membership = await liveOrganizations.membershipOf(ctx, named, user);
  if (membership === undefined) return lost;
  if (membership && lacksProvider(application, membership, login, ctx.clock())) return lost;
  return { registration, login, user, ...(membership && { membership }), ...confined };
}

/**
 * A token for a resource that is valid now; `reason` otherwise, also for a confined one, unless the
 * caller takes it.
 */
export async function verify(
  ctx: Context,
  token: string,
  { takesConfined = false }: { takesConfined?: boolean } = {},
): Promise<ResourceToken | Reason> {
  const verdict = await accessTokens.verifyAny(ctx, token);
  if ("reason" in verdict) return verdict;
  const { claims, kid } = verdict;
  if (!accessTokens.isForResource(claims)) return { reason: "it is not for a resource (aud)" };
  const result = await checked(ctx, claims, kid);
  if ("reason" in result) return result;
  if ("isConfined" in result && !takesConfined) return { reason: "it is for an organization and nothing else" };
  return { ...result, claims };
}
