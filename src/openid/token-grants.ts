/** The grants of the token endpoint. */
import type { Application } from "../applications/application.ts";
import type { Client } from "../applications/clients/client.ts";
import { tokenScopes } from "../applications/resources/resource.ts";
import { AppError, oauthError } from "../lib/errors.ts";
import type { RequestSource } from "../lib/request-source.ts";
import { confinedClaim, namedOrganizationClaims } from "../organizations/claims.ts";
import type { Membership } from "../organizations/membership-store.ts";
import { isConfined } from "../organizations/provider/provider.ts";
import type { Context } from "../runtime/context.ts";
import type { LoginToContinue } from "../sessions/login.ts";
import { livesOf } from "../sessions/lives.ts";
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
import { offered, type Offered } from "./offered.ts";
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
  /** For an exchanged token (RFC 8693 §2.2.1). */
  issued_token_type?: string;
};

/** A client, and the thumbprint of the key that its tokens are bound to (RFC 9449), if any. */
export type GrantCaller = ClientCaller & { proofKey: string | null };

type GrantAnswer = Omit<TokenAnswer, "token_type">;

type Granted = {
  login: LoginToContinue;
  organization: Membership | undefined;
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
    // With `minimal`, only claims that the request names.
    application: granted.length === 0 ? { claims: null } : application,
    client,
    scopes: withRequestedGroups(granted, requested, allowed),
    userId: login.userId,
    isConfined: isConfined(login),
  });
  return userClaims(ctx, current, { scopes: granted, requested, allowed, isConfined: isConfined(login) }, own);
}

async function answer(ctx: Context, granted: Granted): Promise<GrantAnswer> {
  const { login, client, pair, scopes, nonce } = granted;
  const { accessToken, refreshToken, expiresIn, organization } = pair;
  const idToken = scopes.includes("openid")
    ? await idTokens.sign(ctx, {
        login,
        organization: granted.organization,
        client,
        nonce,
        accessToken,
        userClaims: {
          ...(await claimsOf(ctx, granted)),
          ...namedOrganizationClaims(granted.organization),
          ...confinedClaim(isConfined(login)),
        },
      })
    : undefined;
  return {
    access_token: accessToken,
    expires_in: expiresIn,
    scope: tokenScopes({ ...login, scopes }).join(" "),
    ...(organization && { organization: organization.id }),
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
  const { started, user, application, authorization, resource, organization, refreshes, now } = redeemed;
  const { login } = started;
  const of = { application, client, resource, organization, proofKey, lives: livesOf(application, client) };
  const pair = await tokens.firstPair(ctx, started, user, of, now);
  const { nonce } = authorization;
  const granted = { login, organization, client, application, pair, scopes: login.scopes };
  return await answer(ctx, { ...granted, nonce, refreshes, user });
}

const notYet: Record<Extract<devices.Polled, string>, string> = {
  authorization_pending: "The person has not decided yet.",
  slow_down: "Wait 5 seconds longer between two polls from now on.",
  access_denied: "The user did not agree.",
  expired_token: "The device code has expired.",
};

async function byDevice(ctx: Context, { client, application, form, proofKey }: GrantCaller, source: RequestSource) {
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
  const { login, organization, pair } = await refreshed(ctx, {
    refreshToken,
    application,
    client: { ...client, asked, resource: form.get("resource"), organization: form.get("organization") },
    proofKey,
    withoutApiKey: method === "none",
    source,
  });
  const granted = { login, organization, client, application, pair, scopes: login.scopes };
  return await answer(ctx, { ...granted, nonce: null, refreshes: true });
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

/** A grant of the token endpoint. `name`: its `grant_type`. */
type Grant = {
  name: string;
  /** Also for clients of kind machine. */
  forMachines?: true;
  /**
   * Only clients with this setting may use it. While there is none, the response is
   * `unsupported_grant_type`; otherwise, other clients get `unauthorized_client`.
   */
  only?: { offered: keyof Offered; may: (client: Client) => boolean; refusal: string };
  handle(ctx: Context, caller: GrantCaller, source: RequestSource): Promise<GrantAnswer>;
};

/** RFC 8628 §3.4. */
export const deviceGrant: Grant = {
  name: "urn:ietf:params:oauth:grant-type:device_code",
  only: {
    offered: "devices",
    may: (client) => client.deviceGrant,
    refusal: "this client may not sign people in on devices",
  },
  handle: byDevice,
};

const grants: Grant[] = [
  { name: "authorization_code", handle: byCode },
  { name: "refresh_token", handle: byRefreshToken },
  {
    name: "client_credentials",
    forMachines: true,
    only: { offered: "machines", may: ({ kind }) => kind === "machine", refusal: machineTokens.machinesOnly },
    handle: byClient,
  },
  deviceGrant,
  {
    name: tokenExchange.grantType,
    forMachines: true,
    only: {
      offered: "exchange",
      may: ({ exchangeTo }) => exchangeTo.length > 0,
      refusal: "grant_type: this client exchanges no tokens",
    },
    handle: tokenExchange.exchange,
  },
];

/** Every `grant_type` that there is. */
export const grantTypes = grants.map(({ name }) => name);

/** The grants of the discovery document. */
export function grantTypesOf(offer: Offered): string[] {
  return grants.filter(({ only }) => only === undefined || offer[only.offered]).map(({ name }) => name);
}

/** Throws INVALID_REQUEST (`unauthorized_client`) for a client that may not use this grant. */
export function refuseOthers({ only }: Grant, client: Client): void {
  if (only && !only.may(client)) throw oauthError("unauthorized_client", only.refusal);
}

/** Its name in the metrics. */
function lastWord(grantType: string): string {
  return grantType.slice(grantType.lastIndexOf(":") + 1);
}

/** Names for the metrics, without any value that a caller chooses. */
const counted = grantTypes.map(lastWord);

/**
 * Answers a token request. Throws INVALID_REQUEST with the error of RFC 6749 §5.2 in `oauth`.
 */
export async function grant(ctx: Context, caller: GrantCaller, source: RequestSource): Promise<TokenAnswer> {
  const name = lastWord(caller.form.get("grant_type") ?? "");
  const count = (result: "success" | "refused" | "error") =>
    ctx.meter.tokenGrant(counted.includes(name) ? name : "other", result);
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
  const { client } = caller;
  const isMachine = client.kind === "machine";
  const row = grants.find(({ name, forMachines = false }) => name === grantType && (forMachines || !isMachine));
  if (row && (!row.only || row.only.may(client) || (await offered(ctx))[row.only.offered])) {
    refuseOthers(row, client);
    return await row.handle(ctx, caller, source);
  }
  throw isMachine
    ? oauthError("unauthorized_client", "grant_type: a client of kind machine has client_credentials only")
    : oauthError("unsupported_grant_type", "grant_type: must be authorization_code or refresh_token");
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw oauthError("invalid_request", `${name}: required`);
  return value;
}
