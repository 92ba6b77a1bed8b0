import { appHome, type Application } from "../applications/application.ts";
import * as clients from "../applications/clients/service.ts";
import { countWaiting } from "../applications/clients/waiting.ts";
import * as providers from "../applications/providers/provider-clients.ts";
import * as applications from "../applications/service.ts";
import { addressOf, startOfSession } from "./proxy/start-state.ts";
import { day, isOver, isoTime } from "../lib/clock.ts";
import { invalidRequest } from "../lib/errors.ts";
import { digestOf, newSecret } from "../lib/random.ts";
import { originPage, withParameters } from "../lib/redirect-uris.ts";
import * as companies from "../organizations/provider/companies.ts";
import type { Context } from "../runtime/context.ts";
import type { AuthorizationDetails, MethodType, SignInMethod, PendingLink } from "../storage/column-types.ts";
import { accountAddress } from "./account-address.ts";
import { addMethodRequest, type AddMethodBody } from "./adding/add-method-body.ts";
import { recordPendingLink } from "./adding/pending-link-store.ts";
import * as clientAccess from "./client-access.ts";
import { authorizationResponse, type AuthorizationResponse } from "./authorization-response.ts";
import { deviceEndAddress } from "./devices/addresses.ts";
import type { DeviceRequest } from "./devices/store.ts";
import { signInRequest, type InitiateBody } from "./initiate-body.ts";
import { demanded, unknownOrganization } from "./organization-choice.ts";
import * as companyLinks from "./company/links.ts";
import {
  conflictOf,
  demandOf,
  isSessionId,
  emptySession,
  organizationOf,
  sessionLasts,
  type SignInSession,
} from "./session.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";
import { claimSession, findSession, insertSession, recordAwaitedMail, sweepSessions } from "./store.ts";

/**
 * How long sessions with a code or a mail are kept after their end: a reused code must end its
 * login.
 */
const sessionsAreKept = day;

/** A session as a page sees it. `state`: its currently allowed actions. */
export type OpenedSession =
  | { state: "unknown" }
  | {
      state: "open" | "expired" | "finished" | "other-browser" | "bad-redirect";
      session: SignInSession;
      application: Application;
    };

/** The answer of initiate and add-method (docs/spec/http-api.md, 2.1). */
export type SessionAnswer = { authUrl: string; sessionId: string; expiresAt: string };

/** An OpenID Connect client's requirements for a sign-in. */
export type AuthorizationAsked = Pick<
  SignInSession,
  | "redirectUri"
  | "state"
  | "scopes"
  | "codeChallenge"
  | "loginHint"
  | "locale"
  | "authMethod"
  | "accountUserId"
  | "acr"
  | "organizationId"
> & { authorization: AuthorizationDetails };

/** A session before it is stored. */
export type NewSession = { sessionId: string; session: SignInSession; application: Application; authUrl: string };

function newSessionOf(
  ctx: Context,
  application: Application,
  asked: Partial<SignInSession> & Pick<SignInSession, "purpose" | "redirectUri">,
): NewSession {
  const now = ctx.clock();
  const sessionId = `sis_${newSecret(ctx.random)}`;
  const expiresAt = now + sessionLasts;
  const session: SignInSession = {
    ...emptySession,
    ...asked,
    digest: digestOf(sessionId),
    appId: application.id,
    createdAt: now,
    expiresAt,
  };
  return { sessionId, session, application, authUrl: `${ctx.baseUrl}/sign-in/${sessionId}` };
}

/** `isKnown`: the application's server begins it. Throws RATE_LIMITED. */
export async function store(ctx: Context, { session }: NewSession, { isKnown = false } = {}): Promise<void> {
  const { appId, authorization } = session;
  if (!isKnown) await countWaiting(ctx, "sign-in", { appId, clientId: authorization?.clientId ?? appId });
  await ctx.storage.writeOne((handle) => insertSession(handle, session));
}

async function begin(
  ctx: Context,
  application: Application,
  asked: Parameters<typeof newSessionOf>[2],
  by: { isKnown?: boolean } = {},
): Promise<SessionAnswer> {
  const begun = newSessionOf(ctx, application, asked);
  await store(ctx, begun, by);
  const { authUrl, sessionId, session } = begun;
  return { authUrl, sessionId, expiresAt: isoTime(session.expiresAt) };
}

/** Whether the address to return to is still registered, and an OpenID Connect client enabled. */
async function mayReturn(ctx: Context, session: SignInSession, application: Application): Promise<boolean> {
  const { authorization, redirectUri } = session;
  if (session.purpose === "tile")
    return redirectUri === tileEnd(ctx, application, demandOf(session) ?? organizationOf(session) ?? "");
  if (authorization === null)
    return endsAtAccount(session, ctx.baseUrl) || application.redirectUris.includes(redirectUri);
  const registration = await clientAccess.registrationOf(ctx, ctx.storage.reader, session);
  if (registration?.application.id !== application.id) return false;
  const { client } = registration;
  return authorization.device === undefined ? clients.allowsRedirect(client, redirectUri) : client.deviceGrant;
}

/** Starts a sign-in (docs/spec/http-api.md, 4.1). Throws INVALID_REQUEST. */
export async function initiate(
  ctx: Context,
  application: Application,
  body: InitiateBody,
  by: { isKnown?: boolean } = {},
): Promise<SessionAnswer> {
  const request = signInRequest(body, application);
  const organizationId = await demanded(ctx.storage.reader, application, body.organization);
  // Only the application's own server may learn which organizations there are.
  if (organizationId === unknownOrganization && by.isKnown === true)
    throw invalidRequest("organization", "not one of this application");
  if (request.provider !== null && !(await providers.isConfigured(ctx, application.id, request.provider))) {
    throw invalidRequest("provider", "not configured for this application");
  }
  const begun = await begin(ctx, application, { purpose: "sign-in", ...request, organizationId }, by);
  if (by.isKnown !== true || organizationId === null) return begun;
  const company = await companies.byId(ctx, ctx.storage.reader, application, organizationId);
  return company ? { ...begun, authUrl: companyLinks.linkTo(ctx, begun.sessionId, organizationId) } : begun;
}

/**
 * Starts adding a method (docs/spec/http-api.md, 4.3; docs/spec/decisions.md, 6). Throws
 * INVALID_REQUEST.
 */
export async function initiateAdding(
  ctx: Context,
  application: Application,
  userId: string,
  body: AddMethodBody,
): Promise<SessionAnswer> {
  const request = addMethodRequest(body, application);
  if (request.addsProvider !== null && !(await providers.isConfigured(ctx, application.id, request.addsProvider))) {
    throw invalidRequest("provider", "not configured for this application");
  }
  return await begin(ctx, application, { purpose: "add-method", accountUserId: userId, ...request });
}

/** A session for an OpenID Connect client, whose request was checked. It is not stored yet. */
export function newAuthorization(ctx: Context, application: Application, request: AuthorizationAsked): NewSession {
  return newSessionOf(ctx, application, { purpose: "sign-in", ...request });
}

/** A session that approves a device. It is not stored yet, and ends with the device's request. */
export function newForDevice(
  ctx: Context,
  application: Application,
  { digest: device, clientId, scopes, resource, organizationId, expiresAt }: DeviceRequest,
): NewSession {
  const authorization: AuthorizationDetails = {
    clientId,
    responseMode: "query",
    nonce: null,
    // Others may use the device than this browser.
    prompt: ["select_account"],
    maxAge: null,
    claims: null,
    device,
    ...(resource === null ? {} : { resource }),
  };
  const redirectUri = deviceEndAddress(ctx.baseUrl, application.id);
  const begun = newSessionOf(ctx, application, {
    purpose: "sign-in",
    redirectUri,
    scopes,
    authorization,
    organizationId,
  });
  return { ...begun, session: { ...begun.session, expiresAt } };
}

/** Where a sign-in from a company's tile ends: no program began it, so there is no code. */
function tileEnd(ctx: Context, application: Application, organizationId: string): string {
  const home = appHome(application) ?? accountAddress(ctx.baseUrl, application.id);
  return withParameters(home, { organization: organizationId });
}

/** A sign-in that a company's page of tiles begins. It is not stored yet. */
export function newTile(ctx: Context, application: Application, organizationId: string): NewSession {
  const redirectUri = tileEnd(ctx, application, organizationId);
  return newSessionOf(ctx, application, { purpose: "tile", redirectUri, organizationId });
}

/** Like `initiateAdding`, but returns to the account page. */
export async function initiateFromAccount(
  ctx: Context,
  application: Application,
  adding: { userId: string; locale: string | null; adds: MethodType; addsProvider: string | null },
): Promise<SessionAnswer> {
  const { userId: accountUserId, ...request } = adding;
  return await begin(ctx, application, {
    purpose: "add-method",
    redirectUri: accountAddress(ctx.baseUrl, application.id),
    accountUserId,
    ...request,
  });
}

/**
 * A session in which an invited user chooses the first method, not stored yet. `state` is returned
 * at the end.
 */
export function newInvited(
  ctx: Context,
  application: Application,
  chosen: {
    userId: string;
    inviteDigest: string;
    adds: MethodType;
    addsProvider: string | null;
    state: string | null;
  },
): NewSession {
  const { userId: accountUserId, ...asked } = chosen;
  const redirectUri = accountAddress(ctx.baseUrl, application.id);
  return newSessionOf(ctx, application, { purpose: "add-method", redirectUri, accountUserId, ...asked });
}

/** A sign-in to the account page by a recovery link. It is not stored yet. */
export function newRecovery(
  ctx: Context,
  application: Application,
  { userId: accountUserId, ...asked }: { userId: string; recoveryDigest: string; locale: string | null },
): NewSession {
  const redirectUri = accountAddress(ctx.baseUrl, application.id);
  return newSessionOf(ctx, application, { purpose: "account", redirectUri, accountUserId, ...asked });
}

/**
 * Starts a sign-in to the account page. `accountUserId` requires this user to sign in again;
 * `state` is returned at the end.
 */
export async function initiateAccount(
  ctx: Context,
  application: Application,
  asked: { accountUserId: string | null; locale: string | null; state: string | null },
): Promise<SessionAnswer> {
  return await begin(ctx, application, {
    purpose: "account",
    redirectUri: accountAddress(ctx.baseUrl, application.id),
    ...asked,
  });
}

/**
 * Reads a session without changing it. `browserDigest` is the digest of the browser's cookie;
 * undefined without a cookie.
 */
export async function open(ctx: Context, sessionId: string, browserDigest: string | undefined): Promise<OpenedSession> {
  const session = isSessionId(sessionId) ? await findSession(ctx.storage.reader, digestOf(sessionId)) : undefined;
  const application = session && (await applications.find(ctx, ctx.storage.reader, session.appId));
  if (!session || !application) return { state: "unknown" };
  // First: never redirect to an address that was removed.
  const state = (await mayReturn(ctx, session, application))
    ? stateOf(session, browserDigest, ctx.clock())
    : "bad-redirect";
  return { state, session, application };
}

/** Binds the session to this browser before any action. False if another browser was first. */
export async function claim(ctx: Context, session: SignInSession, browserDigest: string): Promise<boolean> {
  if (session.browserDigest === browserDigest) return true;
  return await ctx.storage.writeOne((handle) => claimSession(handle, session.digest, browserDigest));
}

/** The session's methods: requested by the app and currently enabled. */
export function methodsFor(session: SignInSession, application: Application): SignInMethod[] {
  const { authMethod } = session;
  // The requested provider caused a conflict that only another method can solve.
  const asked: SignInMethod[] =
    authMethod && !conflictOf(session) ? [authMethod] : ["passkey", "password", "oauth", "emailCode"];
  return asked.filter((method) => applications.allows(application, method, null));
}

/** Whether the session may use a provider: requested or left open, and currently enabled. */
export function allowsProvider(session: SignInSession, application: Application, provider: string): boolean {
  const { authMethod } = session;
  const isAsked =
    session.provider === null ? authMethod === null || authMethod === "oauth" : session.provider === provider;
  const asked = isAsked || conflictOf(session) !== undefined;
  return asked && applications.allows(application, "oauth", provider);
}

/**
 * The way back to the origin of the session, for people who cannot continue; undefined if there is
 * none. An OpenID Connect client has its own home.
 */
export function homeOf(ctx: Context, session: SignInSession, application: Application): string | undefined {
  if (endsAtAccount(session, ctx.baseUrl)) return session.redirectUri;
  // Nowhere in this browser.
  if (session.authorization?.device !== undefined) return undefined;
  const start = startOfSession(ctx, session);
  if (start) return addressOf(start);
  return session.authorization ? originPage(session.redirectUri) : appHome(application, session.redirectUri);
}

/** Tells the client why there is no code. The session does not change. */
export function refusal(
  ctx: Context,
  session: SignInSession,
  sessionId: string,
  error: "access_denied" | "method_disabled",
  description: string,
): AuthorizationResponse {
  // RFC 6749 §4.1.2.1 has no code for a disabled method.
  const parameters = { error: session.authorization ? "access_denied" : error, error_description: description };
  return authorizationResponse(session, parameters, { issuer: ctx.baseUrl, sessionId });
}

/** Stores an identity in the session until the person has completed the missing step. */
export async function keepIdentity(
  ctx: Context,
  { session, browserDigest, renewedBrowser }: SignInAttempt,
  pendingLink: PendingLink,
): Promise<SignInSession> {
  const browser = { digest: session.digest, browserDigest, renewedBrowser };
  await ctx.storage.write((tx) => recordPendingLink(tx, browser, pendingLink));
  return { ...session, pendingLink, browserDigest: renewedBrowser };
}

/** Keeps a session beyond its end, for the mail that it requested. */
export async function awaitMail(ctx: Context, session: SignInSession): Promise<void> {
  if (session.awaitsMail !== true) await ctx.storage.write((tx) => recordAwaitedMail(tx, session.digest));
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write((tx) => sweepSessions(tx, { expiredBefore: now, keptBefore: now - sessionsAreKept }));
}

/** Whether the account page began it and gets the result. */
function endsAtAccount({ purpose, redirectUri, appId }: SignInSession, baseUrl: string): boolean {
  return purpose !== "sign-in" && redirectUri === accountAddress(baseUrl, appId);
}

function stateOf(session: SignInSession, browserDigest: string | undefined, now: number) {
  if (session.browserDigest !== null && session.browserDigest !== browserDigest) return "other-browser";
  if (session.signedInAt !== null) return "finished";
  return isOver(session.expiresAt, sessionLasts, now) ? "expired" : "open";
}
