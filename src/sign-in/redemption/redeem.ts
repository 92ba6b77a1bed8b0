import { z } from "zod";
import type { Application } from "../../applications/application.ts";
import type { Client } from "../../applications/clients/client.ts";
import * as applications from "../../applications/service.ts";
import { formsOf, type Resource } from "../../applications/resources/resource.ts";
import { AppError, oauthError } from "../../lib/errors.ts";
import { digestOf } from "../../lib/random.ts";
import { acrValues, isEnough, isFactorRequired } from "../../factors/assurance.ts";
import { findFactorState } from "../../factors/store.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { enter, noOrganization, provedTwoFactors } from "../../organizations/gate.ts";
import type { Membership } from "../../organizations/membership-store.ts";
import { endWithProof, isConfined } from "../../organizations/provider/provider.ts";
import { aggregatedEvents } from "../../records/audit/aggregated-events.ts";
import * as audit from "../../records/audit/audit.ts";
import * as events from "../../records/webhooks/events.ts";
import type { Context } from "../../runtime/context.ts";
import * as ends from "../../sessions/login-ends.ts";
import { livesOf } from "../../sessions/lives.ts";
import type { Login } from "../../sessions/login.ts";
import * as loginMaxima from "../../sessions/login-maxima.ts";
import * as tokens from "../../sessions/token-pairs.ts";
import type { StartedLogin, TokenPair } from "../../sessions/token-pairs.ts";
import type { AuthorizationDetails } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import type { SignedInUserAnswer } from "../../users/service.ts";
import { recordLogin } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import { deviceCodeDigest, type SignInSession } from "../session.ts";
import { consumeCode, findSessionByCode, lockUserOfCode } from "../store.ts";
import { codeFitsSession } from "./code-checks.ts";
import { callbackDoor, clientDoor, deviceDoor, hostDoor, type Door, type HostDoor } from "./doors.ts";

/** The body of POST /auth/callback (docs/spec/http-api.md, 4.1; docs/spec/decisions.md, 4). */
export const callbackBody = z.strictObject({
  code: z.string("required, a string").max(256, "at most 256 characters"),
  sessionId: z.string("required, a string").max(256, "at most 256 characters"),
  state: z.string("must be a string").max(2048, "at most 2048 characters").optional(),
  codeVerifier: z.string("must be a string").max(128, "at most 128 characters").optional(),
});

export type CallbackBody = z.output<typeof callbackBody>;

export type CallbackCall = {
  body: CallbackBody;
  application: Application;
  withoutApiKey: boolean;
  source: RequestSource;
};

/** A code at the token endpoint of OpenID Connect. */
export type ClientCall = {
  code: string;
  /** Must be that of the authorization request. */
  redirectUri: string | undefined;
  codeVerifier: string | undefined;
  client: Client;
  application: Application;
  /** Must be that of the authorization request, if it is given. */
  resource: string | undefined;
  /** The thumbprint of the key that the call proved. */
  proofKey: string | null;
  /** The client did not authenticate: only codes with PKCE. */
  withoutSecret: boolean;
  source: RequestSource;
};

/** A device that its person allowed to sign in. `device`: the digest of its code. */
export type DeviceCall = Pick<ClientCall, "client" | "application" | "proofKey" | "source"> & { device: string };

type CodeCall = {
  codeDigest: string;
  codeVerifier: string | undefined;
  door: Door;
  application: Application;
  source: RequestSource;
};

/** The result of a valid code, written in one transaction. */
type Redeemed = {
  started: StartedLogin;
  user: User;
  userAnswer: SignedInUserAnswer;
  application: Application;
  session: SignInSession;
  /** The resource of the tokens; null: the application. */
  resource: Resource | null;
  /** Of the tokens; undefined: none. */
  organization: Membership | undefined;
};

/**
 * The facts for an OpenID Connect client's tokens. Its login was started at `now`. `refreshes`: it
 * gets a refresh token.
 */
export type ClientRedemption = Pick<Redeemed, "started" | "user" | "application" | "resource" | "organization"> & {
  authorization: AuthorizationDetails;
  refreshes: boolean;
  now: number;
};

/**
 * The first write consumes the code, even if a later check fails. A second use ends the login of
 * the first. Before, it locks the client and the user, in this order (docs/decisions/0049).
 */
async function consumeAndCheck(ctx: Context, tx: Handle, call: CodeCall, now: number): Promise<Redeemed | undefined> {
  const { codeDigest, door } = call;
  const appId = call.application.id;
  const loginId = tokens.newLoginId(ctx, now);
  const mayReturn = await door.mayReturn(ctx, tx);
  // Together: on PostgreSQL one round trip. The application is read again, because the sign-in
  // must still be allowed now.
  const [, session, application] = await Promise.all([
    lockUserOfCode(tx, codeDigest),
    consumeCode(tx, { codeDigest, appId, loginId, door: door.name, publicOnly: door.needsPkce }, now),
    applications.find(ctx, tx, appId),
  ]);
  if (!session) {
    await endLoginOfReusedCode(ctx, tx, call, now);
    return undefined;
  }
  if (!application || !codeFitsSession(call, session, now)) return undefined;
  if (!mayReturn(application, session.redirectUri)) return undefined;
  return await startLogin(ctx, tx, { ...session, loginId }, application, call, now);
}

async function startLogin(
  ctx: Context,
  tx: Handle,
  session: SignInSession & { loginId: string },
  application: Application,
  call: CodeCall,
  now: number,
): Promise<Redeemed | undefined> {
  const {
    userId,
    signedInWith,
    signedInProvider: provider,
    signedInAt,
    provenElsewhereAt,
    proofs,
    secondFactor,
    authorization,
  } = session;
  const { door } = call;
  if (userId === null || signedInWith === null || signedInAt === null) return undefined;
  if (!applications.accepts(application, signedInWith, provider)) return undefined;
  const { ipAddress, userAgent, browserSessionDigest, knownBrowserDigest } = door.placeOf(session, call.source);
  const recorded = await recordLogin(tx, userId, { at: now, ipAddress, userAgent });
  if (!recorded) return undefined;
  const { user } = recorded;
  // A logout, a withdrawn consent, or less that the client may have since the code.
  const granted = await door.grantedTo(ctx, tx, session, userId);
  if (!granted) return undefined;
  const { resource, scopes } = granted;
  const entered = await organizationOf(tx, session, application, { client: door.client, resource, scopes }, now);
  if (entered === "refused" || !(await isStillEnough(tx, session, application, entered, now))) return undefined;
  const organizationId = entered?.organizationId ?? null;
  const { organizationProofs } = session;
  const proven = { signedInWith, proofs, secondFactor, organizationProofs };
  const clientId = authorization && authorization.clientId !== application.id ? authorization.clientId : null;
  const { atHost } = door;
  const login = {
    id: session.loginId,
    appId: application.id,
    userId,
    signedInWith,
    provider,
    proofs,
    secondFactor: secondFactor ?? (provedTwoFactors(entered, proven, now) ? "organization" : null),
    signedInAt,
    provenElsewhereAt,
    organizationProofs,
    scopes,
    ipAddress,
    userAgent,
    browserSessionDigest,
    browserDigest: loginMaxima.areSet(application, door.client) ? knownBrowserDigest : null,
    publicClient: door.withoutSecret,
    clientId,
    claimsRequest: authorization?.claims ?? null,
    resource: resource?.identifier ?? null,
    organizationId,
    proofKey: door.proofKey,
    refreshes: door.refreshes(scopes),
    lives: livesOf(application, door.client),
    lasts: atHost?.lasts,
    endsBy: isConfined(proven) ? endWithProof(proven, entered?.provider, now) : undefined,
  };
  const kept = atHost && (await tokens.continueLogin(ctx, tx, { ...login, lasts: atHost.lasts }, now));
  const started = kept ?? (await tokens.startLogin(ctx, tx, login, now, user));
  await atHost?.open(tx, started.login, now);
  const answer = users.answerFor(ctx, recorded, scopes, application.settings.profileFields);
  const userAnswer = isConfined(proven) ? users.confinedAnswer(answer, provider) : answer;
  const redeemed = { started, user, userAnswer, application, session, resource, organization: entered };
  if (kept) return redeemed;
  const maxima = { application, client: door.client };
  await loginMaxima.keep(ctx, tx, { user, started: started.login, ...maxima }, call.source, now);
  const actor = { kind: "user", name: userId } as const;
  const details = {
    method: signedInWith,
    ...(provider === null ? {} : { provider }),
    loginId: started.login.id,
    ...(clientId === null ? {} : { clientId }),
  };
  await audit.record(
    ctx,
    tx,
    {
      actor,
      action: "user.login",
      result: "success",
      appId: application.id,
      userId,
      source: call.source,
      details,
      ...(organizationId === null ? {} : { organizationId }),
    },
    now,
  );
  const source = { ipAddress, userAgent };
  const sessionId = started.login.id;
  await events.record(
    ctx,
    tx,
    { kind: "user.login", appId: application.id, userId, authMethod: signedInWith, source, sessionId },
    now,
  );
  return redeemed;
}

/** The organization of the sign-in, if its person may still use it; undefined: none. */
async function organizationOf(
  tx: Handle,
  session: SignInSession,
  application: Application,
  { client, resource, scopes }: { client: Client | undefined; resource: Resource | null; scopes: string[] },
  now: number,
): Promise<Membership | undefined | "refused"> {
  const { userId, signedInWith, proofs, secondFactor, organizationProofs, organizationId } = session;
  if (userId === null || signedInWith === null) return "refused";
  const proven = { signedInWith, proofs, secondFactor, organizationProofs };
  // A protected host knows nothing of organizations.
  if (client?.kind === "proxy") return isConfined(proven) ? "refused" : undefined;
  const wanted = organizationId ?? noOrganization;
  const entered = await enter(tx, { wanted, application, client, resource, scopes, userId, proven, now });
  return typeof entered === "string" ? "refused" : entered;
}

/** Whether the proofs satisfy the current policy. `entered`: the organization of the tokens. */
async function isStillEnough(
  tx: Handle,
  session: SignInSession,
  application: Application,
  entered: Membership | undefined,
  now: number,
): Promise<boolean> {
  const { userId, signedInWith, proofs, secondFactor, authorization, organizationProofs } = session;
  if (userId === null || signedInWith === null) return false;
  const proven = { signedInWith, proofs, secondFactor, organizationProofs };
  const acr = session.acr === acrValues[1] && provedTwoFactors(entered, proven, now) ? null : session.acr;
  const asked = { hasFactor: false, acr, takesTrust: true };
  if (isEnough(proven, { ...asked, isRequired: true })) return true;
  const state = await findFactorState(tx, userId, authorization?.clientId ?? null);
  return isEnough(proven, { ...asked, isRequired: isFactorRequired(application, state) });
}

async function endLoginOfReusedCode(ctx: Context, tx: Handle, call: CodeCall, now: number): Promise<void> {
  const session = await findSessionByCode(tx, call.codeDigest);
  if (!session?.loginId || session.appId !== call.application.id) return;
  if (call.door.needsPkce && session.codeChallenge === null) return;
  // Only the browser that asked gets here, and may ask twice.
  if (call.door.atHost) return;
  // The wrong door, or another client's code: that login is not this caller's to end.
  if (session.authorization?.clientId !== call.door.client?.id) return;
  await ends.endForCodeReuse(ctx, tx, session.loginId, call.source, now);
}

/** Undefined for every problem with a code. */
async function redeemCode(ctx: Context, call: CodeCall, now: number): Promise<Redeemed | undefined> {
  const redeemed = await ctx.storage.write((tx) => consumeAndCheck(ctx, tx, call, now));
  if (redeemed) ctx.meter.signIn(redeemed.started.login.signedInWith, "success");
  else {
    const app = { id: call.application.id };
    const { source } = call;
    aggregatedEvents(ctx).note({ action: "user.login", result: "failure", app, source, details: {} });
  }
  return redeemed;
}

/**
 * Exchanges a code for tokens. Throws INVALID_REQUEST with the same message for every problem
 * with a code.
 */
export async function redeem(ctx: Context, call: CallbackCall): Promise<TokenPair & { user: SignedInUserAnswer }> {
  const now = ctx.clock();
  const { body, application, withoutApiKey: withoutSecret, source } = call;
  const { code, codeVerifier, sessionId, state } = body;
  const door = callbackDoor({ sessionId, state, withoutSecret });
  const redeemed = await redeemCode(ctx, { codeDigest: digestOf(code), codeVerifier, door, application, source }, now);
  if (!redeemed) {
    throw new AppError("INVALID_REQUEST", "The code cannot be redeemed.", {
      details: "code, state or sessionId: wrong, used or expired",
    });
  }
  const of = { ...redeemed, proofKey: null, lives: livesOf(redeemed.application) };
  const pair = await tokens.firstPair(ctx, redeemed.started, redeemed.user, of, now);
  return { ...pair, user: redeemed.userAnswer };
}

async function refuseOtherResource(ctx: Context, code: string, client: Client, named: string): Promise<void> {
  const session = await findSessionByCode(ctx.storage.reader, digestOf(code));
  // A used code ends its login, whatever else is asked.
  if (session?.codeUsedAt !== null || session.authorization?.clientId !== client.id) return;
  if (!formsOf(named).includes(session.authorization.resource ?? ""))
    throw oauthError("invalid_target", "resource: not the one of the authorization request");
}

/**
 * Starts the login of a client for its code. Undefined for every problem with the code
 * (`invalid_grant`). The caller issues the tokens after this commit. Throws INVALID_REQUEST for
 * another resource than the request's; the code then stays valid.
 */
export async function redeemForClient(
  ctx: Context,
  { client, code, redirectUri, resource: named, proofKey, withoutSecret, ...call }: ClientCall,
): Promise<ClientRedemption | undefined> {
  const now = ctx.clock();
  const door = clientDoor({ client, redirectUri, proofKey, withoutSecret });
  if (named !== undefined) await refuseOtherResource(ctx, code, client, named);
  return clientRedemption(await redeemCode(ctx, { ...call, codeDigest: digestOf(code), door }, now), door, now);
}

/** The same for a protected host, whose login gets no tokens. */
export async function redeemForHost(
  ctx: Context,
  {
    client,
    code,
    redirectUri,
    state,
    ...call
  }: Pick<ClientCall, "client" | "application" | "code" | "source"> & {
    redirectUri: string;
    state: string;
  },
  atHost: HostDoor,
): Promise<Login | undefined> {
  const door = hostDoor({ client, redirectUri, state }, atHost);
  const redeemed = await redeemCode(
    ctx,
    { ...call, codeDigest: digestOf(code), codeVerifier: undefined, door },
    ctx.clock(),
  );
  return redeemed?.started.login;
}

/** The same for a device whose person has allowed it. */
export async function redeemForDevice(
  ctx: Context,
  { client, device, proofKey, ...call }: DeviceCall,
): Promise<ClientRedemption | undefined> {
  const now = ctx.clock();
  const door = deviceDoor({ client, proofKey });
  const codeDigest = deviceCodeDigest(device);
  const redeemed = await redeemCode(ctx, { ...call, codeDigest, codeVerifier: undefined, door }, now);
  return clientRedemption(redeemed, door, now);
}

function clientRedemption(redeemed: Redeemed | undefined, door: Door, now: number): ClientRedemption | undefined {
  const authorization = redeemed?.session.authorization;
  if (!redeemed || !authorization) return undefined;
  const { started, user, application, resource, organization } = redeemed;
  const refreshes = door.refreshes(started.login.scopes);
  return { started, user, application, resource, organization, authorization, refreshes, now };
}
