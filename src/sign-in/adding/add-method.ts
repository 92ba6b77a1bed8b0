/** Adds a passkey or password to the session's account. `provider-sign-in.ts` adds identities. */
import * as passkeys from "../../credentials/passkeys/service.ts";
import * as newPasswords from "../../credentials/passwords/new-passwords.ts";
import * as passwords from "../../credentials/passwords/service.ts";
import type { Context } from "../../runtime/context.ts";
import { passkeyPlaceOf, type SignInAttempt } from "../sign-in-attempt.ts";
import * as additions from "./adding.ts";
import type { Adding } from "./adding.ts";
import type { CreateAccountProblem } from "../problems.ts";

export async function passkey(
  ctx: Context,
  attempt: SignInAttempt,
  credential: string,
): Promise<Adding<CreateAccountProblem>> {
  const { application, source } = attempt;
  const user = await additions.findAddingUser(ctx, attempt, "passkey");
  if (!user) return "not-fresh";
  const made = await passkeys.proveAdded(
    ctx,
    application,
    passkeyPlaceOf(attempt.session, attempt.browserDigest),
    user,
    "add",
    credential,
  );
  if (!made) return { refusal: { kind: "passkey-failed" } };
  return await additions.add<CreateAccountProblem>(
    ctx,
    attempt,
    { type: "passkey", provider: null },
    async (tx, userId, now) => {
      if (!(await passkeys.hasRoom(tx, userId))) return { refusal: { kind: "passkeys-full" } };
      const device = { userAgent: source.userAgent, lastUsedAt: null };
      return (await passkeys.add(ctx, tx, userId, made, device, now)) ?? { refusal: { kind: "passkey-exists" } };
    },
  );
}

/**
 * Sets or replaces the password. `network`: counts the attempt. Throws RATE_LIMITED and BUSY.
 */
export async function password(
  ctx: Context,
  attempt: SignInAttempt,
  { password, network, endsTokens }: { password: string; network: string; endsTokens: boolean },
): Promise<Adding<CreateAccountProblem>> {
  const user = await additions.findAddingUser(ctx, attempt, "password");
  if (!user) return "not-fresh";
  if (password === "") return { refusal: { kind: "password-missing" } };
  const person = { email: user.email ?? "", name: user.name };
  const problem = await newPasswords.problemWith(ctx, password, attempt.application, person, network);
  if (problem) return { refusal: problem };
  if (await passwords.isOneToReplace(ctx, user, password)) return { refusal: { kind: "password-same" } };
  const hash = await newPasswords.hash(ctx, password, network);
  return await additions.add(
    ctx,
    attempt,
    { type: "password", provider: null, endsTokens },
    async (tx, userId, now) => {
      // In the same order as a sign-in.
      await passwords.forgetFailures(ctx, tx, user, attempt.knownBrowser);
      return { ...(await passwords.set(ctx, tx, userId, hash, now)), name: null };
    },
  );
}
