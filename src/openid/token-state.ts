/** Introspection (RFC 7662) and revocation (RFC 7009) of access and refresh tokens. */
import * as clients from "../applications/clients/service.ts";
import * as resources from "../applications/resources/service.ts";
import * as personalTokens from "../credentials/personal/service.ts";
import { isPersonalToken } from "../lib/credentials.ts";
import { AppError } from "../lib/errors.ts";
import type { RequestSource } from "../lib/request-source.ts";
import { confinedClaim, organizationClaims } from "../organizations/claims.ts";
import type { Context } from "../runtime/context.ts";
import * as clientTokens from "../sessions/client-tokens.ts";
import type { Act } from "../tokens/access-tokens.ts";
import * as authentication from "../tokens/authentication.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import { claimsOfPersonal } from "../tokens/personal-claims.ts";
import * as resourceTokens from "../sessions/resource-tokens.ts";
import type { ResourceToken } from "../sessions/resource-tokens.ts";
import type { ClientCaller } from "./client-guard.ts";

/** RFC 7662 §2.2. Nothing else is returned for an inactive token. */
export type IntrospectionAnswer =
  | { active: false }
  | {
      active: true;
      iss: string;
      sub: string;
      client_id: string;
      scope: string;
      exp: number;
      iat: number;
      /** Missing in a machine's token, which has no login. */
      sid?: string;
      token_type?: "Bearer" | "DPoP";
      /** A list for a resource. */
      aud?: string | [string];
      jti?: string;
      act?: Act;
      /** The organization that an access token names, and the user's roles there now. */
      org_id?: string;
      org_roles?: string[];
      /** It rests on the provider of that organization alone. */
      org_confined?: true;
      /** Of a personal access token, which has no other place for them. */
      acr?: string;
      email?: string | null;
      email_verified?: boolean;
      /** The key that a token is bound to. The API that accepts the token checks the proof. */
      cnf?: { jkt: string };
    };

const inactive: IntrospectionAnswer = { active: false };

/** Whether a token of the client's application is valid now. Others are inactive. */
export async function introspect(
  ctx: Context,
  token: string,
  { application, client }: ClientCaller,
): Promise<IntrospectionAnswer> {
  if (isPersonalToken(token)) return await personalAnswer(ctx, token, { application, client });
  const bearer = await authentication
    .findBearer(ctx, token, undefined, { takesConfined: true })
    .catch(undefinedIfInvalid);
  if (bearer) {
    const { sub, aud, client_id: clientId, scope, exp, iat, jti, sid, act, cnf } = bearer.claims;
    // A disabled client can do nothing, not even with its existing tokens.
    if (aud !== application.id || !(await clients.find(ctx, ctx.storage.reader, clientId))) return inactive;
    const { scopes, isConfined } = bearer;
    return {
      ...(await claimSources.forAnswer(ctx, "access", { application, client, scopes, userId: sub, isConfined })),
      active: true,
      ...boundTo(cnf),
      iss: ctx.baseUrl,
      sub,
      aud,
      client_id: clientId,
      scope,
      exp,
      iat,
      jti,
      sid,
      ...organizationClaims(bearer.membership),
      ...confinedClaim(isConfined),
      ...(act ? { act } : {}),
    };
  }
  const ofResource = await resourceTokens.verify(ctx, token, { takesConfined: true });
  if ("claims" in ofResource)
    return ofResource.claims.app_id === application.id
      ? await resourceAnswer(ctx, ofResource, { application, client })
      : inactive;
  const refreshToken = await clientTokens.findRefreshToken(ctx, token);
  if (!refreshToken || refreshToken.login.appId !== application.id) return inactive;
  const { login, registration, issuedAt: iat, expiresAt: exp } = refreshToken;
  const { id: sid, userId: sub, clientId, appId, scopes } = login;
  const { reader } = ctx.storage;
  if (
    login.resource !== null &&
    !(await resources.askedBy(reader, registration.client, login.resource, login.createdAt))
  )
    return inactive;
  return { active: true, iss: ctx.baseUrl, sub, client_id: clientId ?? appId, scope: scopes.join(" "), exp, iat, sid };
}

/** Inactive, too, if it allows nothing now. */
async function personalAnswer(
  ctx: Context,
  text: string,
  { application, client }: Pick<ClientCaller, "application" | "client">,
): Promise<IntrospectionAnswer> {
  const verdict = await personalTokens.verify(ctx, text);
  if ("reason" in verdict || verdict.token.appId !== application.id || verdict.scopes.length === 0) return inactive;
  const { scopes, user } = verdict;
  const { iss, sub, aud, client_id, scope, exp, iat, jti, acr } = claimsOfPersonal(ctx, verdict);
  const { email, emailVerified: email_verified } = user;
  return {
    ...(await claimSources.forAnswer(ctx, "access", { application, client, scopes, userId: sub })),
    active: true,
    ...boundTo(undefined),
    iss,
    sub,
    aud,
    client_id,
    scope,
    exp,
    iat,
    jti,
    acr,
    ...(scopes.includes("email") ? { email, email_verified } : {}),
  };
}

/** The claims about the key that an access token is bound to. */
function boundTo(cnf: { jkt: string } | undefined): Pick<IntrospectionAnswer & { active: true }, "token_type" | "cnf"> {
  return cnf ? { token_type: "DPoP", cnf } : { token_type: "Bearer" };
}

async function resourceAnswer(
  ctx: Context,
  token: ResourceToken,
  { application, client }: Pick<ClientCaller, "application" | "client">,
): Promise<IntrospectionAnswer> {
  const { claims } = token;
  const isConfined = "isConfined" in token;
  const { iss, sub, aud, client_id, scope, exp, iat, jti, sid, act, cnf, org_id } = claims;
  const scopes = "login" in token && !act ? token.login.scopes : scope.split(" ");
  const own =
    "login" in token
      ? await claimSources.forAnswer(ctx, "access", { application, client, scopes, userId: sub, isConfined })
      : claimSources.constants(application);
  const standard = { iss, sub, aud, client_id, scope, exp, iat, jti };
  const ofLogin = { ...(sid === undefined ? {} : { sid }), ...(act ? { act } : {}) };
  const ofOrganization =
    "membership" in token ? organizationClaims(token.membership) : org_id === undefined ? {} : { org_id };
  return {
    ...own,
    active: true,
    ...boundTo(cnf),
    ...standard,
    ...ofLogin,
    ...ofOrganization,
    ...confinedClaim(isConfined),
  };
}

/** Ends the login of one of the client's own tokens. Others change nothing. */
export async function revoke(
  ctx: Context,
  token: string,
  { client, application }: ClientCaller,
  source: RequestSource,
): Promise<void> {
  const clientId = client.id === application.id ? null : client.id;
  const by = { actor: { kind: "app", name: application.id }, source } as const;
  await clientTokens.revoke(ctx, token, { appId: application.id, clientId }, by);
}

function undefinedIfInvalid(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== "INVALID_TOKEN") throw error;
}
