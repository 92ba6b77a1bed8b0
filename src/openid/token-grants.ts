/** The grants of the token endpoint. */
import type { Application } from "../applications/application.ts";
import type { Client } from "../applications/clients/client.ts";
import { tokenScopes } from "../applications/resources/resource.ts";
import { AppError, oauthError } from "../lib/errors.ts";
import type { RequestSource } from "../lib/request-source.ts";
import type { Context } from "../runtime/context.ts";
import type { LoginToContinue } from "../sessions/rotated-login-store.ts";
import * as tokens from "../sessions/token-pairs.ts";
import type { TokenPair } from "../sessions/token-pairs.ts";
import * as devices from "../sign-in/devices/service.ts";
import * as redemption from "../sign-in/redemption/redeem.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import * as idTokens from "../tokens/id-tokens.ts";
import * as machineTokens from "../tokens/machine-tokens.ts";
import * as users from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { ClientCaller } from "./client-guard.ts";
import { offered } from "./offered.ts";
import * as tokenExchange from "./grants/token-exchange.ts";
import { requestable, userClaims, withRequestedGroups } from "./user-claims.ts";

/** A successful answer of the token endpoint (RFC 6749 §5.1, OpenID Connect Core 1.0 §3.1.3.3). */
export type TokenAnswer = {
  access_token: string;
  token_type: "Bearer" | "DPoP";
  expires_in: number;
  scope: string;
  refresh_token?: string;
  id_token?: string;
  /** Of an exchanged token (RFC 8693 §2.2.1). */
  issued_token_type?: string;
};

/** A client, and the thumbprint of the key that its tokens are bound to (RFC 9449), if any. */
export type GrantCaller = ClientCaller & { proofKey: string | null };

type GrantAnswer = Omit<TokenAnswer, "token_type">;

type Granted = {
  login: LoginToContinue;
  client: Client;
  application: Application;
  pair: TokenPair;
  scopes: string[];
  nonce: string | null;
  refreshes: boolean;
  /** Undefined: to be read. */
  user?: User;
};

/** The claims about the user that go into an ID token. */
async function claimsOf(
  ctx: Context,
  { login, client, application, scopes, user }: Granted,
): Promise<Record<string, unknown>> {
  const requested = login.claimsRequest?.id_token ?? {};
  const granted = client.idTokenClaims === "granted" ? scopes : [];
  if (granted.length === 0 && Object.keys(requested).length === 0) return {};
  const current = user ?? (await users.find(ctx.storage.reader, login.userId));
  if (!current) return {};
  const allowed = requestable(client, application, login);
  const own = await claimSources.forToken(ctx, "id", {
    // With `minimal`, only what the request names.
    application: granted.length === 0 ? { claims: null } : application,
    client,
    scopes: withRequestedGroups(granted, requested, allowed),
    userId: login.userId,
  });
  return userClaims(current, { scopes: granted, requested, allowed }, own);
}

async function answer(ctx: Context, granted: Granted): Promise<GrantAnswer> {
  const { login, client, pair, scopes, nonce } = granted;
  const { accessToken, refreshToken, expiresIn } = pair;
  const idToken = scopes.includes("openid")
    ? await idTokens.sign(ctx, { login, client, nonce, accessToken, userClaims: await claimsOf(ctx, granted) })
    : undefined;
  return {
    access_token: accessToken,
    expires_in: expiresIn,
    scope: tokenScopes({ scopes, resource: login.resource }).join(" "),
    ...(granted.refreshes ? { refresh_token: refreshToken } : {}),
    ...(idToken === undefined ? {} : { id_token: idToken }),
  };
}

async function byCode(
  ctx: Context,
  { client, application, method, form, proofKey }: GrantCaller,
  source: RequestSource,
) {
  const code = required(form.get("code"), "code");
  const redeemed = await redemption.redeemForClient(ctx, {
    code,
    redirectUri: form.get("redirect_uri"),
    codeVerifier: form.get("code_verifier"),
    resource: form.get("resource"),
    proofKey,
    client,
    application,
    withoutSecret: method === "none",
    source,
  });
  if (!redeemed) {
    throw oauthError(
      "invalid_grant",
      "The code is wrong, used or expired, or belongs to another client, redirect_uri or code_verifier.",
    );
  }
  return await firstAnswer(ctx, { client, proofKey }, redeemed);
}

async function firstAnswer(
  ctx: Context,
  { client, proofKey }: Pick<GrantCaller, "client" | "proofKey">,
  redeemed: redemption.ClientRedemption,
): Promise<GrantAnswer> {
  const { started, user, application, authorization, resource, refreshes, now } = redeemed;
  const { login } = started;
  const of = { application, client, resource, proofKey };
  const pair = await tokens.firstPair(ctx, started, user, of, now);
  const { nonce } = authorization;
  return await answer(ctx, { login, client, application, pair, scopes: login.scopes, nonce, refreshes, user });
}

/** RFC 8628 §3.4. */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

const notYet: Record<Extract<devices.Polled, string>, string> = {
  authorization_pending: "The person has not decided yet.",
  slow_down: "Wait 5 seconds longer between two polls from now on.",
  access_denied: "The user did not agree.",
  expired_token: "The device code has expired.",
};

async function byDevice(ctx: Context, { client, application, form, proofKey }: GrantCaller, source: RequestSource) {
  if (!client.deviceGrant) throw oauthError("unauthorized_client", "this client may not sign people in on devices");
  const deviceCode = required(form.get("device_code"), "device_code");
  const polled = await devices.poll(ctx, { deviceCode, clientId: client.id, resource: form.get("resource") });
  if (typeof polled === "string") throw oauthError(polled, notYet[polled]);
  const redeemed =
    polled &&
    (await redemption.redeemForDevice(ctx, { client, application, device: polled.allowed, proofKey, source }));
  if (!redeemed)
    throw oauthError("invalid_grant", "The device code is wrong, used or expired, or belongs to another client.");
  return await firstAnswer(ctx, { client, proofKey }, redeemed);
}

async function byRefreshToken(
  ctx: Context,
  { client, application, method, form, proofKey }: GrantCaller,
  source: RequestSource,
) {
  const refreshToken = required(form.get("refresh_token"), "refresh_token");
  const asked = form.get("scope")?.split(" ");
  const { login, pair } = await refreshed(ctx, {
    refreshToken,
    application,
    client: { ...client, asked, resource: form.get("resource") },
    proofKey,
    withoutApiKey: method === "none",
    source,
  });
  return await answer(ctx, { login, client, application, pair, scopes: login.scopes, nonce: null, refreshes: true });
}

async function byClient(
  ctx: Context,
  { client, application, credential, form, proofKey }: GrantCaller,
  source: RequestSource,
): Promise<GrantAnswer> {
  const asked = { client, credential, resource: form.get("resource"), scope: form.get("scope"), proofKey };
  const by = { actor: { kind: "app", name: application.id }, source } as const;
  const { accessToken, expiresIn, scopes } = await machineTokens.issue(ctx, asked, by);
  if (accessToken === null) throw new Error("only a dry run gives no token");
  return { access_token: accessToken, expires_in: expiresIn, scope: scopes.join(" ") };
}

async function refreshed(ctx: Context, call: Parameters<typeof tokens.refreshForClient>[1]) {
  try {
    return await tokens.refreshForClient(ctx, call);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "INVALID_TOKEN") throw error;
    throw oauthError("invalid_grant", "The refresh token is wrong, used or expired, or belongs to another client.");
  }
}

/** Names in the metrics: nothing that a caller chooses. */
const grantNames = ["authorization_code", "refresh_token", "client_credentials", "device_code", "token-exchange"];

/**
 * Answers a token request. Throws INVALID_REQUEST with the error of RFC 6749 §5.2 in `oauth`.
 */
export async function grant(ctx: Context, caller: GrantCaller, source: RequestSource): Promise<TokenAnswer> {
  const name = caller.form.get("grant_type")?.split(":").at(-1) ?? "";
  const count = (result: "success" | "refused" | "error") =>
    ctx.meter.tokenGrant(grantNames.includes(name) ? name : "other", result);
  try {
    const { access_token, ...others } = await granted(ctx, caller, source);
    count("success");
    return { access_token, token_type: caller.proofKey === null ? "Bearer" : "DPoP", ...others };
  } catch (error) {
    count(error instanceof AppError ? "refused" : "error");
    throw error;
  }
}

async function granted(ctx: Context, caller: GrantCaller, source: RequestSource): Promise<GrantAnswer> {
  const grantType = required(caller.form.get("grant_type"), "grant_type");
  const isMachine = caller.client.kind === "machine";
  // While there are no machines, nothing says that this grant exists.
  if (grantType === "client_credentials" && (isMachine || (await offered(ctx)).machines))
    return await byClient(ctx, caller, source);
  const exchanges = caller.client.exchangeTo.length > 0;
  if (grantType === tokenExchange.grantType && (exchanges || (await offered(ctx)).exchange))
    return await tokenExchange.exchange(ctx, caller, source);
  if (isMachine)
    throw oauthError("unauthorized_client", "grant_type: a client of kind machine has client_credentials only");
  if (grantType === deviceGrant && (caller.client.deviceGrant || (await offered(ctx)).devices))
    return await byDevice(ctx, caller, source);
  switch (grantType) {
    case "authorization_code":
      return await byCode(ctx, caller, source);
    case "refresh_token":
      return await byRefreshToken(ctx, caller, source);
    default:
      throw oauthError("unsupported_grant_type", "grant_type: must be authorization_code or refresh_token");
  }
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw oauthError("invalid_request", `${name}: required`);
  return value;
}
