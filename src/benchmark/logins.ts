import type { App } from "../app.ts";

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
  const { newUsers, tokens, users, applications } = app.services;
  const created = await newUsers.create(
    { appId, email, emailVerified: false, name: null, password },
    { dryRun: false },
    { actor },
  );
  const now = app.clock();
  const started = await app.storage.write((tx) =>
    tokens.startLogin(
      tx,
      {
        id: tokens.newLoginId(now),
        appId,
        userId: created.id,
        signedInWith: "password",
        provider: null,
        proofs: null,
        scopes: ["profile", "email"],
        publicClient: false,
        clientId: null,
        claimsRequest: null,
        signedInAt: now,
        ipAddress: null,
        userAgent: null,
        browserSessionDigest: null,
      },
      now,
    ),
  );
  const [user, application] = [await users.find(created.id), await applications.find(appId)];
  if (!user || !application) throw new Error("what was just created is not there");
  return { loginId: started.login.id, email, ...(await tokens.firstPair(started, user, { application }, now)) };
}
