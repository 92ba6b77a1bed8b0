import { hash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import { isOver, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Meter } from "../lib/meter.ts";
import { digestOf } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { LoginAdministration } from "../tokens/login-administration.ts";
import type { StartedLogin, TokenPair, Tokens } from "../tokens/service.ts";
import type { SignedInUserAnswer, Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { Events } from "../webhooks/events.ts";
import { codeLasts, sessionLasts, type SignInSession } from "./session.ts";
import { consumeCode, findSessionByCode } from "./store.ts";

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
  clientInfo: ClientInfo;
};

/** The result of a valid code, written in one transaction. */
type Redeemed = { started: StartedLogin; user: User; userAnswer: SignedInUserAnswer; application: Application };

/** RFC 7636 §4.1. */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/u;

export type Redeem = ReturnType<typeof createRedeem>;

export function createRedeem(deps: {
  storage: Storage;
  applications: Applications;
  users: Users;
  tokens: Tokens;
  logins: LoginAdministration;
  audit: Audit;
  events: Events;
  clock: Clock;
  meter: Meter;
}) {
  const { storage, applications, users, tokens, logins, audit, events, clock, meter } = deps;

  /**
   * The first write consumes the code, even if a later check fails. A second use ends the login of
   * the first.
   */
  async function consumeAndCheck(tx: Handle, call: CallbackCall, now: number): Promise<Redeemed | undefined> {
    const codeDigest = digestOf(call.body.code);
    const appId = call.application.id;
    const loginId = tokens.newLoginId(now);
    // Together: on PostgreSQL one round trip. The application is read again, because the sign-in
    // must still be allowed now.
    const [session, application] = await Promise.all([
      consumeCode(tx, { codeDigest, appId, loginId, publicOnly: call.withoutApiKey }, now),
      applications.find(appId, tx),
    ]);
    if (!session) {
      await endLoginOfReusedCode(tx, codeDigest, call, now);
      return undefined;
    }
    if (!application || !answersTheSession(call.body, session, now)) return undefined;
    return await startLogin(tx, { ...session, loginId }, application, call, now);
  }

  async function startLogin(
    tx: Handle,
    session: SignInSession & { loginId: string },
    application: Application,
    call: CallbackCall,
    now: number,
  ): Promise<Redeemed | undefined> {
    const {
      userId,
      signedInWith,
      signedInProvider: provider,
      signedInAt,
      proofs,
      scopes,
      ipAddress,
      userAgent,
    } = session;
    if (userId === null || signedInWith === null || signedInAt === null) return undefined;
    if (!applications.accepts(application, signedInWith, provider)) return undefined;
    if (!application.redirectUris.includes(session.redirectUri)) return undefined;
    const found = await users.recordLogin(tx, userId, { at: now, ipAddress, userAgent });
    if (!found) return undefined;
    const { user } = found;
    const login = {
      id: session.loginId,
      appId: application.id,
      userId,
      signedInWith,
      provider,
      proofs,
      signedInAt,
      scopes,
      ipAddress,
      userAgent,
      browserSessionDigest: session.browserSessionDigest,
      publicClient: call.withoutApiKey,
      clientId: null,
      claimsRequest: null,
    };
    const started = await tokens.startLogin(tx, login, now, user);
    await logins.endOldest(tx, user, started.login, call.clientInfo, now);
    const actor = { kind: "user", name: userId } as const;
    const details = { method: signedInWith, loginId: started.login.id };
    await audit.record(
      tx,
      {
        actor,
        action: "user.login",
        result: "success",
        appId: application.id,
        userId,
        clientInfo: call.clientInfo,
        details,
      },
      now,
    );
    const clientInfo = { ipAddress, userAgent };
    const sessionId = started.login.id;
    await events.record(
      tx,
      { kind: "user.login", appId: application.id, userId, authMethod: signedInWith, clientInfo, sessionId },
      now,
    );
    return { started, user, userAnswer: users.answerFor(found, scopes), application };
  }

  async function endLoginOfReusedCode(tx: Handle, codeDigest: string, call: CallbackCall, now: number): Promise<void> {
    const session = await findSessionByCode(tx, codeDigest);
    if (!session?.loginId || session.appId !== call.application.id) return;
    if (call.withoutApiKey && session.codeChallenge === null) return;
    if (!(await tokens.endLogin(tx, session.loginId, "code-reuse", now))) return;
    const actor = { kind: "app", name: session.appId } as const;
    const details = { loginId: session.loginId };
    await audit.record(
      tx,
      {
        actor,
        action: "code.reuse",
        result: "failure",
        appId: session.appId,
        userId: session.userId,
        clientInfo: call.clientInfo,
        details,
      },
      now,
    );
  }

  return {
    /**
     * Exchanges a code for tokens. Throws INVALID_REQUEST with the same message for every problem
     * with a code.
     */
    async redeem(call: CallbackCall): Promise<TokenPair & { user: SignedInUserAnswer }> {
      const now = clock();
      const redeemed = await storage.write((tx) => consumeAndCheck(tx, call, now));
      if (!redeemed) {
        const app = { id: call.application.id };
        audit.aggregatedEvents.note({
          action: "user.login",
          result: "failure",
          app,
          clientInfo: call.clientInfo,
          details: {},
        });
        throw new AppError("INVALID_REQUEST", "The code cannot be redeemed.", {
          details: "code, state or sessionId: wrong, used or expired",
        });
      }
      meter.signIn(redeemed.started.login.signedInWith, "success");
      const pair = await tokens.firstPair(redeemed.started, redeemed.user, redeemed.application, now);
      return { ...pair, user: redeemed.userAnswer };
    },
  };
}

/**
 * Checks each binding separately (CVE-2026-28513 combined two of them with the wrong operator).
 */
function answersTheSession(body: CallbackBody, session: SignInSession, now: number): boolean {
  if (session.codeExpiresAt === null || isOver(session.codeExpiresAt, codeLasts, now)) return false;
  if (isOver(session.expiresAt, sessionLasts, now)) return false;
  if (digestOf(body.sessionId) !== session.digest) return false;
  if ((body.state ?? null) !== session.state) return false;
  if (session.codeChallenge === null) return body.codeVerifier === undefined;
  return body.codeVerifier !== undefined && answersChallenge(body.codeVerifier, session.codeChallenge);
}

/** PKCE, method S256 (RFC 7636 §4.6). */
function answersChallenge(verifier: string, challenge: string): boolean {
  if (!verifierForm.test(verifier)) return false;
  return timingSafeEqual(Buffer.from(hash("sha256", verifier, "base64url")), Buffer.from(challenge));
}
