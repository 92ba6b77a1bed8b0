import type { Application, SignInMethod } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit, Origin } from "../audit/audit.ts";
import { day, second } from "../lib/clock.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { Events } from "../webhooks/events.ts";
import { rotateLoginAmongOthers } from "./gathered-login-store.ts";
import { endLogin, findLogin, rotateLogin, type Login, type LoginRotation } from "./login-store.ts";
import { refreshDigest, successorOf, type RefreshToken } from "./refresh-tokens.ts";
import type { LoginToContinue, RotatedLogin } from "./rotated-login-store.ts";

const refreshIdleFor = 14 * day;
/** A client that lost the answer, or raced itself, gets the same successor again for this long. */
const refreshGrace = 10 * second;

/** `application`: as its caller was just authenticated. */
export type RefreshCall = { refreshToken: string; application: Application; withoutApiKey: boolean; origin: Origin };

/** Thrown within a transaction, it takes back what that wrote; returned, it lets it stand. */
export class Denial extends Error {
  readonly why: "refused" | "public-client-only";
  constructor(why: Denial["why"]) {
    super(why);
    this.why = why;
  }
}

export function denied(error: unknown): Denial {
  if (error instanceof Denial) return error;
  throw error;
}

type Rotation = { login: RotatedLogin; next: RefreshToken };

/** What a refresh does to the line of its login's refresh tokens (docs/decisions/0003-refresh-rotation.md). */
export function createRotation(deps: {
  storage: Storage;
  applications: Applications;
  users: Users;
  keyring: Keyring;
  events: Events;
  audit: Audit;
}) {
  const { storage, applications, users, keyring, events, audit } = deps;

  /** What a sign-in checks of its method; a refresh is refused, not ended, where it fails: the operator may have been mistaken. */
  function mayContinue({ signedInWith, provider }: LoginToContinue, application: Application): boolean {
    return signedInWith !== "operator" && applications.accepts(application, signedInWith, provider);
  }

  function rotationTo(
    next: RefreshToken,
    presented: RefreshToken,
    application: Application,
    now: number,
  ): LoginRotation {
    return {
      id: presented.loginId,
      appId: application.id,
      presentedDigest: refreshDigest(presented),
      successorDigest: refreshDigest(next),
      now,
      idleSince: now - refreshIdleFor,
    };
  }

  /** What a login may have begun with, for its application to go on with it. */
  function waysOf(application: Application): string[] {
    const ways: [SignInMethod, string | null][] = [
      ["passkey", null],
      ["password", null],
      ...application.authMethods.oauth.providers.map((provider): [SignInMethod, string] => ["oauth", provider]),
    ];
    return ways
      .filter(([method, provider]) => applications.accepts(application, method, provider))
      .map(([method, provider]) => (provider === null ? method : `${method} ${provider}`));
  }

  /** Throws Denial. */
  async function rotate(presented: RefreshToken, call: RefreshCall, now: number): Promise<Rotation | Denial> {
    return (
      (await rotateAmongOthers(presented, call, now)) ??
      (await storage.write((tx) => rotateAlone(tx, presented, call, now)))
    );
  }

  /** Where one statement rotates for all who ask in this turn, and nothing speaks against this one: else nothing is written. */
  async function rotateAmongOthers(
    presented: RefreshToken,
    { application, withoutApiKey }: RefreshCall,
    now: number,
  ): Promise<Rotation | undefined> {
    const { writeTogether } = storage;
    if (!writeTogether) return undefined;
    const next = successorOf(presented, keyring);
    const rotated = await writeTogether((handle) =>
      rotateLoginAmongOthers(handle, {
        ...rotationTo(next, presented, application, now),
        publicOnly: withoutApiKey,
        ways: waysOf(application),
      }),
    );
    return rotated && { login: rotated, next };
  }

  /**
   * Rotates first and looks afterwards, so that the one write of nearly every refresh waits for no read; where its login may not go on, it is
   * thrown, and takes the write back. Throws Denial.
   */
  async function rotateAlone(
    tx: Handle,
    presented: RefreshToken,
    call: RefreshCall,
    now: number,
  ): Promise<Rotation | Denial> {
    const { application, withoutApiKey } = call;
    const next = successorOf(presented, keyring);
    const rotation = rotationTo(next, presented, application, now);
    const rotated = await rotateLogin(tx, rotation);
    if (rotated) {
      if (withoutApiKey && !rotated.publicClient) throw new Denial("public-client-only");
      if (!mayContinue(rotated, application)) throw new Denial("refused");
      return { login: rotated, next };
    }
    const login = await findLogin(tx, presented.loginId);
    if (!login || login.appId !== application.id) return new Denial("refused");
    if (withoutApiKey && !login.publicClient) return new Denial("public-client-only");
    if (login.endedAt !== null || login.expiresAt <= now) return new Denial("refused");
    if (!isRepeated(login, rotation)) {
      // Whatever else would be refused: the reuse tells that somebody has a copy.
      if (presented.generation < login.generation) await endForReuse(tx, login, call.origin, now);
      return new Denial("refused");
    }
    const user = mayContinue(login, application) ? await users.find(login.userId, tx) : undefined;
    if (!user || user.disabledAt !== null) return new Denial("refused");
    return { login: { ...login, email: user.email }, next };
  }

  /** Whether it is the token before the newest, a moment after it was used: then it buys the same successor again. */
  function isRepeated(login: Login, { presentedDigest, successorDigest, now }: LoginRotation): boolean {
    const isPredecessor = login.previousDigest === presentedDigest && login.refreshDigest === successorDigest;
    return isPredecessor && now < login.refreshedAt + refreshGrace;
  }

  async function endForReuse(tx: Handle, login: Login, origin: Origin, now: number): Promise<void> {
    if (!(await endLogin(tx, login.id, "refresh-reuse", now))) return;
    await audit.record(
      tx,
      {
        actor: { kind: "app", name: login.appId },
        action: "token.reuse",
        result: "failure",
        appId: login.appId,
        userId: login.userId,
        origin,
        details: { loginId: login.id },
      },
      now,
    );
    const about = { appId: login.appId, userId: login.userId, authMethod: null, origin, sessionId: login.id };
    await events.record(tx, { kind: "token.reuse", ...about }, now);
    await events.record(tx, { kind: "user.logout", ...about }, now);
  }

  return { rotate };
}
