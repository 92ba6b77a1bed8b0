/** Checks and hashes passwords that somebody chooses. */
import type { Application } from "../../applications/application.ts";
import type { Context } from "../../runtime/context.ts";
import { passwordAttempts } from "./attempts.ts";
import * as breached from "./breached/breached.ts";
import { hasher } from "./hasher.ts";
import { formProblem, strengthProblem, wordsOf, type PasswordProblem } from "./rules.ts";

/**
 * Why a new password is refused, or undefined. Throws RATE_LIMITED for too many at once from
 * one network, BUSY under overload. `network`: undefined for an operator's command.
 */
export async function problemWith(
  ctx: Context,
  password: string,
  { name, branding, settings }: Application,
  person: { email: string; name: string | null },
  network: string | undefined,
): Promise<PasswordProblem | undefined> {
  const context = { email: person.email, personName: person.name, appNames: [name, branding.companyName] };
  const problem = formProblem(password, { minLength: settings.passwordMinLength, context });
  if (problem) return problem;
  // A random character counts as ten guesses: random ones of the minimum length always suffice.
  const enough = Math.min(ctx.config.passwords.minGuessesLog10, settings.passwordMinLength - 1);
  const strength = await ctx.strengthOf({ password, words: wordsOf(context) }, network);
  const guessable = strengthProblem(strength, enough);
  if (guessable) return guessable;
  return (await breached.has(ctx, password)) ? { kind: "password-breached" } : undefined;
}

/**
 * The hash of a new password. Throws RATE_LIMITED for too many attempts from one network, BUSY
 * under overload. `network`: undefined for an operator's command, which is not counted.
 */
export async function hash(ctx: Context, password: string, network: string | undefined): Promise<string> {
  hasher(ctx).admit();
  if (network === undefined) return await hasher(ctx).hash(password);
  const attempt = passwordAttempts(ctx).admit(network);
  try {
    attempt.fail();
    passwordAttempts(ctx).refuseExceeded(await ctx.storage.write((tx) => attempt.count(tx)));
    return await hasher(ctx).hash(password);
  } finally {
    attempt.end();
  }
}
