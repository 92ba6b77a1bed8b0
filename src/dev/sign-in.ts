import type { Application } from "../applications/application.ts";
import { demoAppId as appId } from "../applications/leftovers.ts";
import * as applications from "../applications/service.ts";
import { AppError } from "../lib/errors.ts";
import type { RequestSource } from "../lib/request-source.ts";
import { checkedFact } from "../lib/profile-facts.ts";
import { checkedEmail, checkedNewEmail } from "../lib/user-fields.ts";
import * as audit from "../records/audit/audit.ts";
import * as events from "../records/webhooks/events.ts";
import type { Context } from "../runtime/context.ts";
import { livesOf } from "../sessions/lives.ts";
import * as loginMaxima from "../sessions/login-maxima.ts";
import * as tokens from "../sessions/token-pairs.ts";
import type { SignInMethod } from "../storage/column-types.ts";
import * as users from "../users/service.ts";
import type { SignedInUserAnswer } from "../users/service.ts";
import { recordLogin } from "../users/store.ts";

export type DevTokens = { accessToken: string; refreshToken: string; expiresIn: number; user: SignedInUserAnswer };

/**
 * Signs a user in to the demo application without a page, for tests of an application. The response
 * is that of POST /auth/callback. Creates the user if there is none with this address.
 */
export async function devSignIn(
  ctx: Context,
  given: { email: string; name?: string | undefined },
  source: RequestSource,
): Promise<DevTokens> {
  const email = checkedEmail(given.email);
  const name = checkedFact("name", given.name ?? null);
  const application = await applications.find(ctx, ctx.storage.reader, appId);
  if (!application) throw new AppError("CONFLICT", "The demo application was deleted. Restart the service.");
  const { scopes } = application.settings;
  const signedInWith = methodOf(application);
  const now = ctx.clock();
  const { ipAddress, userAgent } = source;
  const { started, recorded } = await ctx.storage.write(async (tx) => {
    const signedUp = { method: signedInWith, source };
    const user =
      (await users.findByEmail(tx, appId, email)) ??
      (await users.create(ctx, tx, { appId, email: checkedNewEmail(email), emailVerified: true, name, signedUp }, now));
    if (user?.disabledAt !== null) throw new AppError("CONFLICT", "The user is disabled.");
    const { id: userId } = user;
    const recorded = await recordLogin(tx, userId, { at: now, ipAddress, userAgent });
    if (!recorded) throw new AppError("CONFLICT", "The user was just deleted.");
    const login = {
      id: tokens.newLoginId(ctx, now),
      appId,
      userId,
      signedInWith,
      provider: null,
      proofs: null,
      secondFactor: null,
      signedInAt: now,
      provenElsewhereAt: null,
      scopes,
      ipAddress,
      userAgent,
      browserSessionDigest: null,
      // So that it can be refreshed with the API key and without it.
      publicClient: true,
      clientId: null,
      claimsRequest: null,
      resource: null,
      proofKey: null,
      lives: livesOf(application),
    };
    const begun = await tokens.startLogin(ctx, tx, login, now, recorded.user);
    await loginMaxima.keep(ctx, tx, { user: recorded.user, started: begun.login, application }, source, now);
    const actor = { kind: "service", name: "development" } as const;
    const about = { appId, userId, source, details: { method: signedInWith, loginId: login.id } };
    await audit.record(ctx, tx, { actor, action: "user.login", result: "success", ...about }, now);
    const event = { kind: "user.login", authMethod: signedInWith, sessionId: login.id } as const;
    await events.record(ctx, tx, { ...event, appId, userId, source }, now);
    return { started: begun, recorded };
  });
  const pair = await tokens.firstPair(
    ctx,
    started,
    recorded.user,
    { application, proofKey: null, lives: livesOf(application) },
    now,
  );
  return { ...pair, user: users.answerFor(ctx, recorded, scopes, application.settings.profileFields) };
}

/** A method that the application accepts, so that the login can be refreshed. */
function methodOf({ authMethods: { passkey, password } }: Application): SignInMethod {
  if (password.enabled && !(passkey.enabled && passkey.required)) return "password";
  if (passkey.enabled) return "passkey";
  throw new AppError("CONFLICT", "The demo application allows neither passwords nor passkeys.");
}
