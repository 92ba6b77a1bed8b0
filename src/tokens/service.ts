import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit, Origin } from "../audit/audit.ts";
import { day, type Clock } from "../lib/clock.ts";
import { AppError, expired, invalidApiKey, invalidAppId } from "../lib/errors.ts";
import { newId, type Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { User } from "../users/user.ts";
import type { Users } from "../users/service.ts";
import type { Events } from "../webhooks/events.ts";
import { claimedApp, newTokenId, type AccessTokenClaims, type AccessTokens } from "./access-tokens.ts";
import { claimsOf } from "./claims.ts";
import { createLoginEnds } from "./login-ends.ts";
import {
  endLogin,
  endLoginsOfUser,
  findLiveUser,
  findLogin,
  insertLogin,
  sweepLogins,
  type EndReason,
  type EndedLogin,
  type LiveUser,
  type Login,
} from "./login-store.ts";
import {
  firstRefreshToken,
  formatRefreshToken,
  parseRefreshToken,
  refreshDigest,
  type RefreshToken,
} from "./refresh-tokens.ts";
import type { LoginToContinue } from "./rotated-login-store.ts";
import { createRotation, Denial, denied, type RefreshCall } from "./rotation.ts";

const accessTokenSeconds = 900;
const loginLastsFor = 30 * day;

/** What callback and refresh answer. `expiresIn` is in seconds. */
export type TokenPair = { accessToken: string; refreshToken: string; expiresIn: number };

/** Whom an access token speaks for, as storage knows them at this moment. */
export type Bearer = { claims: AccessTokenClaims; scopes: string[]; user: LiveUser };

export type StartedLogin = { login: Login; refreshToken: RefreshToken };

export type Tokens = ReturnType<typeof createTokens>;

export function createTokens(deps: {
  storage: Storage;
  keyring: Keyring;
  accessTokens: AccessTokens;
  applications: Applications;
  users: Users;
  browserSessions: BrowserSessions;
  signIn: SignIn;
  events: Events;
  audit: Audit;
  clock: Clock;
  random: Random;
  issuer: string;
}) {
  const { storage, keyring, accessTokens, users, browserSessions, signIn } = deps;
  const { clock, random, issuer } = deps;
  const ends = createLoginEnds(deps);
  const rotation = createRotation(deps);

  async function pairFor(
    login: LoginToContinue,
    refreshToken: RefreshToken,
    user: Pick<User, "id" | "email">,
    application: Application,
    now: number,
  ): Promise<TokenPair> {
    const id = newTokenId(random);
    const claims = claimsOf(login, user, { issuer, id, seconds: accessTokenSeconds }, now);
    return {
      accessToken: await accessTokens.sign(claims, application.settings.signingAlgorithm),
      refreshToken: formatRefreshToken(refreshToken, keyring),
      expiresIn: accessTokenSeconds,
    };
  }

  return {
    /** Starts the login that a redeemed code buys, in the caller's transaction. `held`: its user, as that transaction has locked it. */
    async startLogin(
      tx: Handle,
      input: Pick<
        Login,
        | "appId"
        | "userId"
        | "signedInWith"
        | "provider"
        | "scopes"
        | "publicClient"
        | "signedInAt"
        | "ipAddress"
        | "userAgent"
        | "browserSessionDigest"
      >,
      now: number,
      held?: User,
    ): Promise<StartedLogin> {
      const id = newId("lgn", now, random);
      const refreshToken = firstRefreshToken(id, random);
      const login: Login = {
        id,
        ...input,
        createdAt: now,
        lastSeenAt: now,
        generation: 0,
        refreshDigest: refreshDigest(refreshToken),
        previousDigest: null,
        refreshedAt: now,
        expiresAt: now + loginLastsFor,
        endedAt: null,
        endReason: null,
      };
      await insertLogin(tx, login, held);
      return { login, refreshToken };
    },

    /** The tokens of a login that was just started; after the commit, because signing is not database work. */
    async firstPair(started: StartedLogin, user: User, application: Application, now: number): Promise<TokenPair> {
      return await pairFor(started.login, started.refreshToken, user, application, now);
    },

    /** Ends one login; true when it had been alive. */
    async endLogin(tx: Handle, id: string, reason: EndReason, now: number): Promise<boolean> {
      const ended = await endLogin(tx, id, reason, now);
      if (ended) await ends.announce(tx, ended, null, now);
      return ended !== undefined;
    },

    /** Ends every login of a user; the ids of those that this call ended. */
    async endLogins(tx: Handle, userId: string, reason: EndReason, now: number): Promise<string[]> {
      const ended = await endLoginsOfUser(tx, userId, reason, now);
      for (const login of ended) await ends.announce(tx, login, null, now);
      return ended.map(({ id }) => id);
    },

    /** Replaces a refresh token. Throws INVALID_TOKEN; INVALID_API_KEY where the login was not started by a public client. */
    async refresh(call: RefreshCall): Promise<TokenPair> {
      const now = clock();
      const presented = parseRefreshToken(call.refreshToken, keyring);
      if (!presented) throw call.withoutApiKey ? invalidApiKey() : invalidRefreshToken();
      const outcome = await rotation.rotate(presented, call, now).catch(denied);
      if (outcome instanceof Denial) throw outcome.why === "refused" ? invalidRefreshToken() : invalidApiKey();
      // The app may be allowed less than at the sign-in, which would not be given more today either.
      const allowed: string[] = call.application.settings.scopes;
      const { login, next } = outcome;
      const scopes = login.scopes.filter((scope) => allowed.includes(scope));
      return await pairFor({ ...login, scopes }, next, { id: login.userId, email: login.email }, call.application, now);
    },

    /** Who an access token speaks for right now. Throws INVALID_TOKEN; INVALID_APP_ID when `appId` is given and is not the token's. */
    async authenticate(accessToken: string, appId: string | undefined): Promise<Bearer> {
      const verified = accessTokens.verify(accessToken);
      // Most tokens have been asked about before: what is known at once is not waited for.
      const verdict = verified instanceof Promise ? await verified : verified;
      if ("reason" in verdict) throw invalidAccessToken(verdict.expired ? expired : verdict.reason);
      const { claims } = verdict;
      const user = await findLiveUser(storage.reader, claims.sid, clock());
      if (!user || user.id !== claims.sub) throw invalidAccessToken("its login has ended");
      if (appId !== undefined && appId !== claims.aud) throw invalidAppId();
      return { claims, scopes: claims.scope.split(" "), user };
    },

    claimedApp,

    /** Removes a batch of what has expired; true when more may be left. */
    async sweep(): Promise<boolean> {
      const now = clock();
      return await storage.write((tx) => sweepLogins(tx, now));
    },

    /** Ends what the caller asks for; a refresh token of somebody else, or of nobody, is ignored. Resolves when the end is durable. */
    async logout(
      bearer: Bearer,
      request: { refreshToken?: string | undefined; allSessions?: boolean | undefined },
      origin: Origin,
    ): Promise<void> {
      const now = clock();
      const { sub: userId, sid } = bearer.claims;
      await storage.write(async (tx) => {
        if (request.allSessions) {
          // First: it waits for a code that is being redeemed, whose login is then there to be ended.
          await signIn.cancelCodes(tx, userId, now);
          // Before its logins, as whoever changes the user does (docs/decisions/0027).
          await users.hold(tx, userId);
        }
        const ended = request.allSessions
          ? await endLoginsOfUser(tx, userId, "logout-all", now)
          : await endOne(tx, request.refreshToken === undefined ? sid : ownLogin(request.refreshToken), userId, now);
        // Who signs out of an app is signed out of its account page, too.
        if (request.allSessions) await browserSessions.endAll(tx, userId);
        const by = { actor: { kind: "user", name: userId }, origin } as const;
        for (const login of ended) await ends.note(tx, login, by, now);
      });
    },
  };

  function ownLogin(refreshToken: string): string | undefined {
    return parseRefreshToken(refreshToken, keyring)?.loginId;
  }

  async function endOne(tx: Handle, loginId: string | undefined, userId: string, now: number): Promise<EndedLogin[]> {
    const login = loginId === undefined ? undefined : await findLogin(tx, loginId);
    if (!login || login.userId !== userId) return [];
    if (login.browserSessionDigest !== null) await browserSessions.end(tx, login.browserSessionDigest);
    const ended = await endLogin(tx, login.id, "logout", now);
    return ended ? [ended] : [];
  }
}

function invalidRefreshToken(): AppError {
  return new AppError("INVALID_TOKEN", "The refresh token is not valid.");
}

function invalidAccessToken(reason: string): AppError {
  return new AppError("INVALID_TOKEN", "The access token is missing or not valid.", { cause: reason });
}
