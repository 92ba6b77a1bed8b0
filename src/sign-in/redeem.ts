import { hash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit, Origin } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Meter } from "../lib/meter.ts";
import { digestOf } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { LoginAdministration } from "../tokens/login-administration.ts";
import type { StartedLogin, TokenPair, Tokens } from "../tokens/service.ts";
import type { SignedInUserAnswer, Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { Events } from "../webhooks/events.ts";
import type { SignInSession } from "./session.ts";
import { consumeCode, findSessionByCode, noteLogin } from "./store.ts";

/** What POST /auth/callback takes (contract 4.1, decision 4). */
export const callbackBody = z.strictObject({
  code: z.string("required, a string").max(256, "at most 256 characters"),
  sessionId: z.string("required, a string").max(256, "at most 256 characters"),
  state: z.string("must be a string").max(2048, "at most 2048 characters").optional(),
  codeVerifier: z.string("must be a string").max(128, "at most 128 characters").optional(),
});

export type CallbackBody = z.output<typeof callbackBody>;

export type CallbackCall = { body: CallbackBody; application: Application; withoutApiKey: boolean; origin: Origin };

/** What a good code buys, all written in one transaction. */
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

  /** The code is consumed by the first write, whatever the checks after it say; a second use ends what the first one bought. */
  async function consumeAndCheck(tx: Handle, call: CallbackCall, now: number): Promise<Redeemed | undefined> {
    const codeDigest = digestOf(call.body.code);
    const appId = call.application.id;
    // At once: within a transaction of PostgreSQL they are one way there and back. The application is read again inside of it: what a sign-in was
    // allowed a minute ago, it must still be allowed now.
    const [session, application] = await Promise.all([
      consumeCode(tx, { codeDigest, appId, publicOnly: call.withoutApiKey }, now),
      applications.find(appId, tx),
    ]);
    if (!session) {
      await endLoginOfReusedCode(tx, codeDigest, call, now);
      return undefined;
    }
    if (!application || !answersTheSession(call.body, session, now)) return undefined;
    return await startLogin(tx, session, application, call, now);
  }

  async function startLogin(
    tx: Handle,
    session: SignInSession,
    application: Application,
    call: CallbackCall,
    now: number,
  ): Promise<Redeemed | undefined> {
    const { userId, signedInWith, signedInProvider: provider, signedInAt, scopes, ipAddress, userAgent } = session;
    if (userId === null || signedInWith === null || signedInAt === null) return undefined;
    if (!applications.accepts(application, signedInWith, provider)) return undefined;
    if (!application.redirectUris.includes(session.redirectUri)) return undefined;
    const found = await users.noteLogin(tx, userId, { at: now, ipAddress, userAgent });
    if (!found) return undefined;
    const { user } = found;
    const login = {
      appId: application.id,
      userId,
      signedInWith,
      provider,
      signedInAt,
      scopes,
      ipAddress,
      userAgent,
      browserSessionDigest: session.browserSessionDigest,
      publicClient: call.withoutApiKey,
    };
    const started = await tokens.startLogin(tx, login, now, user);
    await logins.endOldest(tx, user, started.login, call.origin, now);
    await noteLogin(tx, session.digest, started.login.id);
    const actor = { kind: "user", name: userId } as const;
    const details = { method: signedInWith, loginId: started.login.id };
    await audit.record(
      tx,
      { actor, action: "user.login", result: "success", appId: application.id, userId, origin: call.origin, details },
      now,
    );
    const origin = { ipAddress, userAgent };
    const sessionId = started.login.id;
    await events.record(
      tx,
      { kind: "user.login", appId: application.id, userId, authMethod: signedInWith, origin, sessionId },
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
        origin: call.origin,
        details,
      },
      now,
    );
  }

  return {
    /** Exchanges a code for tokens. Throws INVALID_REQUEST, with one message for everything that can be wrong with a code. */
    async redeem(call: CallbackCall): Promise<TokenPair & { user: SignedInUserAnswer }> {
      const now = clock();
      const redeemed = await storage.write((tx) => consumeAndCheck(tx, call, now));
      if (!redeemed) {
        const app = { id: call.application.id };
        audit.tally.note({ action: "user.login", result: "failure", app, origin: call.origin, details: {} });
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

/** Each binding checked by itself (CVE-2026-28513 joined two of them with the wrong operator). */
function answersTheSession(body: CallbackBody, session: SignInSession, now: number): boolean {
  if (session.codeExpiresAt === null || session.codeExpiresAt <= now || session.expiresAt <= now) return false;
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
