import type { Application, SignInMethod } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit, Origin } from "../audit/audit.ts";
import { day, isoTime, type Clock } from "../lib/clock.ts";
import { invalidRequest } from "../lib/errors.ts";
import type { ProviderAccounts } from "../oauth/accounts.ts";
import { digestOf, newSecret, type Random } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { signInRequest, type InitiateBody } from "./initiate-body.ts";
import { withParameters } from "./redirects.ts";
import { codeLasts, isSessionId, sessionLasts, type SignInSession } from "./session.ts";
import {
  cancelCodesOfUser,
  claimSession,
  completeSession,
  findSession,
  insertSession,
  sweepSessions,
} from "./store.ts";

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

export type SignedIn = { redirectTo: string };

export type SignIn = ReturnType<typeof createSignIn>;

export function createSignIn(deps: {
  storage: Storage;
  applications: Applications;
  providers: ProviderAccounts;
  audit: Audit;
  clock: Clock;
  random: Random;
  baseUrl: string;
}) {
  const { storage, applications, providers, audit, clock, random, baseUrl } = deps;

  return {
    /** Starts an authentication (contract 2.1). Throws INVALID_REQUEST. */
    async initiate(
      application: Application,
      body: InitiateBody,
    ): Promise<{ authUrl: string; sessionId: string; expiresAt: string }> {
      const request = signInRequest(body, application);
      if (request.provider !== null && !(await providers.isConfigured(application.id, request.provider))) {
        throw invalidRequest("provider: not configured for this application");
      }
      const now = clock();
      const sessionId = `sis_${newSecret(random)}`;
      const expiresAt = now + sessionLasts;
      const session: SignInSession = {
        ...newSession,
        ...request,
        digest: digestOf(sessionId),
        appId: application.id,
        createdAt: now,
        expiresAt,
      };
      await storage.write((tx) => insertSession(tx, session));
      return { authUrl: `${baseUrl}/sign-in/${sessionId}`, sessionId, expiresAt: isoTime(expiresAt) };
    },

    /** Looks at a session without changing it. `browserDigest` is that of the browser's cookie, undefined when it sent none. */
    async open(sessionId: string, browserDigest: string | undefined): Promise<OpenedSession> {
      const session = isSessionId(sessionId) ? await findSession(storage.reader, digestOf(sessionId)) : undefined;
      const application = session && (await applications.find(session.appId));
      if (!session || !application) return { state: "unknown" };
      return { state: stateOf(session, application, browserDigest, clock()), session, application };
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

    /**
     * Signs somebody in: `prove` writes what belongs to the proof (and, for a sign-up, the user) and answers the user's id, in the transaction
     * that finishes the session and makes its code. Undefined, and nothing written, when `prove` answers undefined or the session is over.
     */
    async complete(
      opened: { session: SignInSession; application: Application; browserDigest: string; sessionId: string },
      { signedInWith, provider = null }: { signedInWith: SignInMethod; provider?: string | null },
      origin: Origin,
      prove: (tx: Handle, now: number) => Promise<string | undefined>,
    ): Promise<SignedIn | "refused" | "over"> {
      const { session, application, browserDigest, sessionId } = opened;
      const now = clock();
      const code = newSecret(random);
      const outcome = await storage
        .write(async (tx) => {
          const userId = await prove(tx, now);
          if (userId === undefined) throw new Undo("refused");
          const completed = await completeSession(
            tx,
            { digest: session.digest, browserDigest },
            {
              userId,
              signedInWith,
              signedInProvider: provider,
              signedInAt: now,
              ipAddress: origin.ipAddress,
              userAgent: origin.userAgent,
              codeDigest: digestOf(code),
              codeExpiresAt: now + codeLasts,
            },
          );
          if (!completed) throw new Undo("over");
          const actor = { kind: "user", name: userId } as const;
          await audit.record(
            tx,
            {
              actor,
              action: "sign-in",
              result: "success",
              appId: application.id,
              userId,
              origin,
              details: { method: signedInWith, provider },
            },
            now,
          );
          return "completed" as const;
        })
        .catch((error: unknown) => {
          if (error instanceof Undo) return error.outcome;
          throw error;
        });
      if (outcome !== "completed") return outcome;
      return { redirectTo: withParameters(session.redirectUri, { code, state: session.state, sessionId }) };
    },

    /** Whether this session may use a provider now: asked for or left open, and enabled at this moment. */
    allowsProvider(session: SignInSession, application: Application, provider: string): boolean {
      const asked =
        session.provider === null
          ? session.authMethod === null || session.authMethod === "oauth"
          : session.provider === provider;
      return asked && applications.allows(application, "oauth", provider);
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

    async noteFailure(application: Application, method: SignInMethod, origin: Origin): Promise<void> {
      const now = clock();
      const actor = { kind: "user", name: "unknown" } as const;
      await storage.write((tx) =>
        audit.record(
          tx,
          { actor, action: "sign-in", result: "failure", appId: application.id, origin, details: { method } },
          now,
        ),
      );
    },
  };
}

function stateOf(session: SignInSession, application: Application, browserDigest: string | undefined, now: number) {
  // First: nobody is sent to an address that the app has taken back.
  if (!application.redirectUris.includes(session.redirectUri)) return "bad-redirect";
  if (session.browserDigest !== null && session.browserDigest !== browserDigest) return "other-browser";
  if (session.signedInAt !== null) return "finished";
  return session.expiresAt <= now ? "expired" : "open";
}

/** Rolls a transaction back with an outcome instead of an error. */
class Undo extends Error {
  readonly outcome: "refused" | "over";
  constructor(outcome: "refused" | "over") {
    super(outcome);
    this.outcome = outcome;
  }
}

const newSession = {
  browserDigest: null,
  userId: null,
  signedInWith: null,
  signedInProvider: null,
  signedInAt: null,
  ipAddress: null,
  userAgent: null,
  codeDigest: null,
  codeExpiresAt: null,
  codeUsedAt: null,
  loginId: null,
} satisfies Partial<SignInSession>;
