import type { App } from "../../process/app.ts";
import * as applications from "../../applications/service.ts";
import * as tokens from "../../sessions/token-pairs.ts";
import * as newUsers from "../../people/new-users.ts";
import * as users from "../../users/service.ts";

/** A user with a live login, and its tokens. */
export type TestLogin = { loginId: string; email: string; accessToken: string; refreshToken: string };

const actor = { kind: "cli", name: "bench" } as const;
/** Below the limit of the shortest hash queue. */
const atOnce = 50;

/**
 * Creates users with one live login each, directly in the services, because a sign-in would cost a
 * hash. With `password` they can also sign in, which does cost a hash each.
 */
export async function makeLogins(
  app: App,
  appId: string,
  count: number,
  { password, from = 0 }: { password?: string; from?: number } = {},
): Promise<TestLogin[]> {
  const made: TestLogin[] = [];
  for (let start = 0; start < count; start += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - start) }, (_, offset) => from + start + offset);
    made.push(
      ...(await Promise.all(numbers.map((number) => makeLogin(app, appId, `bench${number}@example.com`, password)))),
    );
  }
  return made;
}

async function makeLogin(app: App, appId: string, email: string, password: string | undefined): Promise<TestLogin> {
  const { ctx } = app;
  const created = await newUsers.create(
    ctx,
    { appId, email, emailVerified: false, name: null, password },
    { dryRun: false },
    { actor },
  );
  const now = ctx.clock();
  const started = await ctx.storage.write((tx) =>
    tokens.startLogin(
      ctx,
      tx,
      {
        id: tokens.newLoginId(ctx, now),
        appId,
        userId: created.id,
        signedInWith: "password",
        provider: null,
        proofs: null,
        secondFactor: null,
        scopes: ["profile", "email"],
        publicClient: false,
        clientId: null,
        claimsRequest: null,
        resource: null,
        proofKey: null,
        signedInAt: now,
        provenElsewhereAt: null,
        ipAddress: null,
        userAgent: null,
        browserSessionDigest: null,
      },
      now,
    ),
  );
  const [user, application] = [
    await users.find(ctx.storage.reader, created.id),
    await applications.find(ctx, ctx.storage.reader, appId),
  ];
  if (!user || !application) throw new Error("what was just created is not there");
  const pair = await tokens.firstPair(ctx, started, user, { application, proofKey: null }, now);
  return { loginId: started.login.id, email, ...pair };
}
