import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Clients } from "../clients/service.ts";
import { day, isOver, isoTime, type Clock } from "../lib/clock.ts";
import { appHome, originPage } from "../hosted/hosted.ts";
import { authorizationResponse, type AuthorizationResponse } from "../hosted/authorization-response.ts";
import { invalidRequest } from "../lib/errors.ts";
import type { ProviderClients } from "../oauth/provider-clients.ts";
import { digestOf, newSecret, type Random } from "../lib/random.ts";
import type { AuthorizationDetails, SignInMethod, PendingLink } from "../storage/column-types.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { addMethodRequest, type AddMethodBody } from "./adding/add-method-body.ts";
import { signInRequest, type InitiateBody } from "./initiate-body.ts";
import { cancelCodesOfBrowser, cancelCodesOfUser } from "./cancel-store.ts";
import { accountAddress } from "./account-address.ts";
import type { Holder } from "./holder.ts";
import { consumePendingLink, recordPendingLink } from "./adding/pending-link-store.ts";
import { conflictOf, isSessionId, emptySession, sessionLasts, type SignInSession } from "./session.ts";
import { claimSession, findSession, insertSession, recordAwaitedMail, sweepSessions } from "./store.ts";

/**
 * How long sessions with a code or a mail are kept after their end: a reused code must end its
 * login.
 */
const sessionsAreKept = day;

/** A session as a page sees it. `state`: what it currently allows. */
export type OpenedSession =
  | { state: "unknown" }
  | {
      state: "open" | "expired" | "finished" | "other-browser" | "bad-redirect";
      session: SignInSession;
      application: Application;
    };

/** The answer of initiate and add-method (docs/spec/http-api.md, 2.1). */
export type SessionAnswer = { authUrl: string; sessionId: string; expiresAt: string };

/** What an OpenID Connect client asks of a sign-in. */
export type AuthorizationAsked = Pick<
  SignInSession,
  "redirectUri" | "state" | "scopes" | "codeChallenge" | "loginHint" | "locale" | "authMethod" | "accountUserId"
> & { authorization: AuthorizationDetails };

/** A session before it is stored. */
export type NewSession = { sessionId: string; session: SignInSession; application: Application; authUrl: string };

export type SignIn = ReturnType<typeof createSignIn>;

export function createSignIn(deps: {
  storage: Storage;
  applications: Applications;
  clients: Clients;
  providers: ProviderClients;
  clock: Clock;
  random: Random;
  baseUrl: string;
}) {
  const { storage, applications, clients, providers, clock, random, baseUrl } = deps;

  function newSessionOf(
    application: Application,
    asked: Partial<SignInSession> & Pick<SignInSession, "purpose" | "redirectUri">,
  ): NewSession {
    const now = clock();
    const sessionId = `sis_${newSecret(random)}`;
    const expiresAt = now + sessionLasts;
    const session: SignInSession = {
      ...emptySession,
      ...asked,
      digest: digestOf(sessionId),
      appId: application.id,
      createdAt: now,
      expiresAt,
    };
    return { sessionId, session, application, authUrl: `${baseUrl}/sign-in/${sessionId}` };
  }

  async function store({ session }: NewSession): Promise<void> {
    await storage.writeOne((handle) => insertSession(handle, session));
  }

  async function begin(...given: Parameters<typeof newSessionOf>): Promise<SessionAnswer> {
    const begun = newSessionOf(...given);
    await store(begun);
    const { authUrl, sessionId, session } = begun;
    return { authUrl, sessionId, expiresAt: isoTime(session.expiresAt) };
  }

  /** Whether the address to return to is still registered, and an OpenID Connect client enabled. */
  async function mayReturn(session: SignInSession, application: Application): Promise<boolean> {
    const { authorization, redirectUri } = session;
    if (authorization === null)
      return endsAtAccount(session, baseUrl) || application.redirectUris.includes(redirectUri);
    const found = await clients.find(authorization.clientId);
    return found?.application.id === application.id && clients.allowsRedirect(found.client, redirectUri);
  }

  return {
    /** Starts a sign-in (docs/spec/http-api.md, 4.1). Throws INVALID_REQUEST. */
    async initiate(application: Application, body: InitiateBody): Promise<SessionAnswer> {
      const request = signInRequest(body, application);
      if (request.provider !== null && !(await providers.isConfigured(application.id, request.provider))) {
        throw invalidRequest("provider: not configured for this application");
      }
      return await begin(application, { purpose: "sign-in", ...request });
    },

    /**
     * Starts adding a method (docs/spec/http-api.md, 4.3; docs/spec/decisions.md, 6). Throws
     * INVALID_REQUEST.
     */
    async initiateAdding(application: Application, userId: string, body: AddMethodBody): Promise<SessionAnswer> {
      const request = addMethodRequest(body, application);
      if (request.addsProvider !== null && !(await providers.isConfigured(application.id, request.addsProvider))) {
        throw invalidRequest("provider: not configured for this application");
      }
      return await begin(application, { purpose: "add-method", accountUserId: userId, ...request });
    },

    /** A session for an OpenID Connect client, whose request was checked. It is not stored yet. */
    newAuthorization(application: Application, request: AuthorizationAsked): NewSession {
      return newSessionOf(application, { purpose: "sign-in", ...request });
    },

    store,

    /** Like `initiateAdding`, but returns to the account page. */
    async initiateFromAccount(
      application: Application,
      adding: { userId: string; locale: string | null; adds: SignInMethod; addsProvider: string | null },
    ): Promise<SessionAnswer> {
      const { userId: accountUserId, ...request } = adding;
      return await begin(application, {
        purpose: "add-method",
        redirectUri: accountAddress(baseUrl, application.id),
        accountUserId,
        ...request,
      });
    },

    /** A session in which an invited user chooses the first method. It is not stored yet. */
    newInvited(
      application: Application,
      chosen: { userId: string; inviteDigest: string; adds: SignInMethod; addsProvider: string | null },
    ): NewSession {
      const { userId: accountUserId, ...asked } = chosen;
      const redirectUri = accountAddress(baseUrl, application.id);
      return newSessionOf(application, { purpose: "add-method", redirectUri, accountUserId, ...asked });
    },

    /**
     * Starts a sign-in to the account page. `accountUserId` requires this user to sign in again;
     * `state` is returned at the end.
     */
    async initiateAccount(
      application: Application,
      asked: { accountUserId: string | null; locale: string | null; state: string | null },
    ): Promise<SessionAnswer> {
      return await begin(application, {
        purpose: "account",
        redirectUri: accountAddress(baseUrl, application.id),
        ...asked,
      });
    },

    /**
     * Reads a session without changing it. `browserDigest` is the digest of the browser's cookie;
     * undefined without a cookie.
     */
    async open(sessionId: string, browserDigest: string | undefined): Promise<OpenedSession> {
      const session = isSessionId(sessionId) ? await findSession(storage.reader, digestOf(sessionId)) : undefined;
      const application = session && (await applications.find(session.appId));
      if (!session || !application) return { state: "unknown" };
      // First: never redirect to an address that was removed.
      const state = (await mayReturn(session, application)) ? stateOf(session, browserDigest, clock()) : "bad-redirect";
      return { state, session, application };
    },

    /** Binds the session to this browser before any action. False if another browser was first. */
    async claim(session: SignInSession, browserDigest: string): Promise<boolean> {
      if (session.browserDigest === browserDigest) return true;
      return await storage.writeOne((handle) => claimSession(handle, session.digest, browserDigest));
    },

    /** The session's methods: requested by the app and currently enabled. */
    methodsFor(session: SignInSession, application: Application): SignInMethod[] {
      const { authMethod } = session;
      // The requested provider caused a conflict that only another method can solve.
      const asked: SignInMethod[] =
        authMethod && !conflictOf(session) ? [authMethod] : ["passkey", "password", "oauth"];
      return asked.filter((method) => application.authMethods[method].enabled);
    },

    /** Whether the session may use a provider: requested or left open, and currently enabled. */
    allowsProvider(session: SignInSession, application: Application, provider: string): boolean {
      const { authMethod } = session;
      const isAsked =
        session.provider === null ? authMethod === null || authMethod === "oauth" : session.provider === provider;
      const asked = isAsked || conflictOf(session) !== undefined;
      return asked && applications.allows(application, "oauth", provider);
    },

    /**
     * The way back to where the session began, for people who cannot continue; undefined if there
     * is none. An OpenID Connect client has a home of its own.
     */
    homeOf(session: SignInSession, application: Application): string | undefined {
      if (endsAtAccount(session, baseUrl)) return session.redirectUri;
      return session.authorization ? originPage(session.redirectUri) : appHome(application, session.redirectUri);
    },

    /** Tells the client why there is no code. The session does not change. */
    refusal(
      session: SignInSession,
      sessionId: string,
      error: "access_denied" | "method_disabled",
      description: string,
    ): AuthorizationResponse {
      // RFC 6749 §4.1.2.1 has no code for a disabled method.
      const parameters = { error: session.authorization ? "access_denied" : error, error_description: description };
      return authorizationResponse(session, parameters, { issuer: baseUrl, sessionId });
    },

    /** Invalidates the unredeemed codes of a browser session. */
    cancelCodesOfBrowser,

    /** Invalidates a user's unredeemed codes. */
    async cancelCodes(tx: Handle, userId: string, now: number): Promise<void> {
      await cancelCodesOfUser(tx, userId, now);
    },

    /** Stores an identity in the session until the person has completed what it waits for. */
    async keepIdentity(
      { session, browserDigest, renewedBrowser }: Holder,
      pendingLink: PendingLink,
    ): Promise<SignInSession> {
      const browser = { digest: session.digest, browserDigest, renewedBrowser };
      await storage.write((tx) => recordPendingLink(tx, browser, pendingLink));
      return { ...session, pendingLink, browserDigest: renewedBrowser };
    },

    /**
     * Consumes the waiting identity of a session, in the transaction that links it: only one of two
     * posts succeeds.
     */
    async consumePendingLink(
      tx: Handle,
      { session, browserDigest }: { session: SignInSession; browserDigest: string },
      pendingLink: PendingLink,
      now: number,
    ): Promise<boolean> {
      return await consumePendingLink(tx, { digest: session.digest, browserDigest }, pendingLink, now);
    },

    /** Keeps a session beyond its end, for the mail that it requested. */
    async awaitMail(session: SignInSession): Promise<void> {
      if (session.awaitsMail !== true) await storage.write((tx) => recordAwaitedMail(tx, session.digest));
    },

    /** Removes a batch of expired rows; true if more may be left. */
    async sweep(): Promise<boolean> {
      const now = clock();
      return await storage.write((tx) => sweepSessions(tx, { expiredBefore: now, keptBefore: now - sessionsAreKept }));
    },
  };
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
