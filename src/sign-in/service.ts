import type { Application, SignInMethod } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit, Origin } from "../audit/audit.ts";
import { day, isoTime, type Clock } from "../lib/clock.ts";
import { appHome } from "../hosted/hosted.ts";
import { invalidRequest } from "../lib/errors.ts";
import type { ProviderAccounts } from "../oauth/accounts.ts";
import type { Meter } from "../lib/meter.ts";
import { digestOf, newSecret, type Random } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Events } from "../webhooks/events.ts";
import { addMethodRequest, type AddMethodBody } from "./add-method-body.ts";
import { signInRequest, type InitiateBody } from "./initiate-body.ts";
import { accountAddress, withParameters } from "./redirects.ts";
import { isSessionId, sessionLasts, type SignInSession } from "./session.ts";
import { cancelCodesOfUser, claimSession, findSession, insertSession, sweepSessions } from "./store.ts";

/** After its end, a session is remembered for this long: a second use of its code ends the login that the first one bought. */
const sessionsAreKept = day;

/** A session as a page finds it. `state` says what may be done with it now. */
export type OpenedSession =
  | { state: "unknown" }
  | {
      state: "open" | "expired" | "finished" | "other-browser" | "bad-redirect";
      session: SignInSession;
      application: Application;
    };

/** What initiate and add-method answer (contract 2.1). */
export type SessionAnswer = { authUrl: string; sessionId: string; expiresAt: string };

export type SignIn = ReturnType<typeof createSignIn>;

export function createSignIn(deps: {
  storage: Storage;
  applications: Applications;
  providers: ProviderAccounts;
  events: Events;
  audit: Audit;
  clock: Clock;
  random: Random;
  baseUrl: string;
  meter: Meter;
}) {
  const { storage, applications, providers, events, audit, clock, random, baseUrl, meter } = deps;

  async function begin(
    application: Application,
    asked: Partial<SignInSession> & Pick<SignInSession, "purpose" | "redirectUri">,
  ): Promise<SessionAnswer> {
    const now = clock();
    const sessionId = `sis_${newSecret(random)}`;
    const expiresAt = now + sessionLasts;
    const session: SignInSession = {
      ...newSession,
      ...asked,
      digest: digestOf(sessionId),
      appId: application.id,
      createdAt: now,
      expiresAt,
    };
    await storage.write((tx) => insertSession(tx, session));
    return { authUrl: `${baseUrl}/sign-in/${sessionId}`, sessionId, expiresAt: isoTime(expiresAt) };
  }

  return {
    /** Starts an authentication (contract 2.1). Throws INVALID_REQUEST. */
    async initiate(application: Application, body: InitiateBody): Promise<SessionAnswer> {
      const request = signInRequest(body, application);
      if (request.provider !== null && !(await providers.isConfigured(application.id, request.provider))) {
        throw invalidRequest("provider: not configured for this application");
      }
      return await begin(application, { purpose: "sign-in", ...request });
    },

    /** Starts the adding of a method to a user's account (contract 4.3, decision 6). Throws INVALID_REQUEST. */
    async initiateAdding(application: Application, userId: string, body: AddMethodBody): Promise<SessionAnswer> {
      const request = addMethodRequest(body, application);
      if (request.addsProvider !== null && !(await providers.isConfigured(application.id, request.addsProvider))) {
        throw invalidRequest("provider: not configured for this application");
      }
      return await begin(application, { purpose: "add-method", accountUserId: userId, ...request });
    },

    /** The same from the account page, which is where it comes back to. */
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

    /** Starts the sign-in to the account page; `accountUserId` asks one user to prove who they are again, `state` comes back with them. */
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

    /** Looks at a session without changing it. `browserDigest` is that of the browser's cookie, undefined when it sent none. */
    async open(sessionId: string, browserDigest: string | undefined): Promise<OpenedSession> {
      const session = isSessionId(sessionId) ? await findSession(storage.reader, digestOf(sessionId)) : undefined;
      const application = session && (await applications.find(session.appId));
      if (!session || !application) return { state: "unknown" };
      return { state: stateOf(session, application, browserDigest, clock(), baseUrl), session, application };
    },

    /** Makes the session this browser's, before it does anything with it. False when another browser was first. */
    async claim(session: SignInSession, browserDigest: string): Promise<boolean> {
      if (session.browserDigest === browserDigest) return true;
      return await storage.write((tx) => claimSession(tx, session.digest, browserDigest));
    },

    /** The ways that this session may be signed in now: what the app asked for and has enabled at this moment. */
    methodsFor(session: SignInSession, application: Application): SignInMethod[] {
      const asked: SignInMethod[] = session.authMethod ? [session.authMethod] : ["passkey", "password", "oauth"];
      return asked.filter((method) => application.authMethods[method].enabled);
    },

    /** Whether this session may use a provider now: asked for or left open, and enabled at this moment. */
    allowsProvider(session: SignInSession, application: Application, provider: string): boolean {
      const asked =
        session.provider === null
          ? session.authMethod === null || session.authMethod === "oauth"
          : session.provider === provider;
      return asked && applications.allows(application, "oauth", provider);
    },

    /** Where whoever cannot go on in a session finds the way back to what began it; undefined when there is no address for that. */
    homeOf(session: SignInSession): string | undefined {
      return endsAtAccount(session, baseUrl) ? session.redirectUri : appHome(session.redirectUri);
    },

    /** Where a person goes who gives up; the session stays as it is. */
    cancelAddress(session: SignInSession, sessionId: string): string {
      const description = "The sign-in was cancelled.";
      return withParameters(session.redirectUri, {
        error: "access_denied",
        error_description: description,
        state: session.state,
        sessionId,
      });
    },

    /** A counter that went back may mean a copied authenticator, or one that counts badly: flagged, not refused (WebAuthn §6.1.1). */
    async noteCopiedPasskey(
      tx: Handle,
      application: Application,
      userId: string,
      methodId: string,
      origin: Origin,
      now: number,
    ): Promise<void> {
      const actor = { kind: "user", name: userId } as const;
      await audit.record(
        tx,
        {
          actor,
          action: "passkey.counter",
          result: "failure",
          appId: application.id,
          userId,
          origin,
          details: { methodId },
        },
        now,
      );
    },

    /** Makes codes worthless that a user has not redeemed yet. */
    async cancelCodes(tx: Handle, userId: string, now: number): Promise<void> {
      await cancelCodesOfUser(tx, userId, now);
    },

    /** Removes a batch of what has expired; true when more may be left. */
    async sweep(): Promise<boolean> {
      const expiredBefore = clock() - sessionsAreKept;
      return await storage.write((tx) => sweepSessions(tx, expiredBefore));
    },

    /** A proof that did not hold. `userId`: whose it was to be, where that is known. */
    async noteFailure(
      application: Application,
      method: SignInMethod,
      origin: Origin,
      userId: string | null = null,
    ): Promise<void> {
      const now = clock();
      const app = { id: application.id };
      audit.tally.note({ action: "sign-in", result: "failure", app, userId, origin, details: { method } });
      await storage.write(async (tx) => {
        const about = { appId: application.id, userId: null, authMethod: method, origin, sessionId: null };
        await events.record(tx, { kind: "login.failed", ...about }, now);
      });
      meter.signIn(method, "failure");
    },
  };
}

/** Whether the account page began it, and gets it back. */
function endsAtAccount({ purpose, redirectUri, appId }: SignInSession, baseUrl: string): boolean {
  return purpose !== "sign-in" && redirectUri === accountAddress(baseUrl, appId);
}

function stateOf(
  session: SignInSession,
  application: Application,
  browserDigest: string | undefined,
  now: number,
  baseUrl: string,
) {
  // First: nobody is sent to an address that the app has taken back.
  if (!endsAtAccount(session, baseUrl) && !application.redirectUris.includes(session.redirectUri))
    return "bad-redirect";
  if (session.browserDigest !== null && session.browserDigest !== browserDigest) return "other-browser";
  if (session.signedInAt !== null) return "finished";
  return session.expiresAt <= now ? "expired" : "open";
}

const newSession = {
  state: null,
  authMethod: null,
  provider: null,
  scopes: [],
  codeChallenge: null,
  loginHint: null,
  locale: null,
  accountUserId: null,
  adds: null,
  addsProvider: null,
  browserDigest: null,
  provenUserId: null,
  provenWith: null,
  provenProvider: null,
  provenAt: null,
  userId: null,
  signedInWith: null,
  signedInProvider: null,
  signedInAt: null,
  ipAddress: null,
  userAgent: null,
  browserSessionDigest: null,
  codeDigest: null,
  codeExpiresAt: null,
  codeUsedAt: null,
  loginId: null,
} satisfies Partial<SignInSession>;
