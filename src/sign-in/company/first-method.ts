/**
 * A first method for people whom only their company signs in: by their mailbox and, where set,
 * their second factor (docs/decisions/0109). The only door to an account without a method.
 */
import * as invites from "../../credentials/mailed/invites.ts";
import * as sessionTokens from "../../credentials/mailed/session-tokens.ts";
import * as signInCodes from "../../credentials/mailed/sign-in-codes.ts";
import { consumeEmailToken } from "../../credentials/mailed/store.ts";
import * as methods from "../../credentials/methods/service.ts";
import * as factors from "../../factors/service.ts";
import { typedFactor } from "../../factors/typed-factor.ts";
import type { Context } from "../../runtime/context.ts";
import { lockUser } from "../../users/store.ts";
import * as emailCode from "../email-code/email-code-sign-in.ts";
import type { FactorRefusal } from "../factors/factor-sign-in.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";

/** Mails a code to this canonical address. The page after it is the same for every address. */
export async function ask(ctx: Context, attempt: SignInAttempt, email: string): Promise<void> {
  await signInCodes.ask(ctx, { ...emailCode.placeOf(attempt), signUpOpen: false }, email);
}

/**
 * The link with which they choose the method. `asks-factor`: none was typed. `over`: the code no
 * longer works, or the account has a method. `code`: eight digits (`typedCode`).
 */
export async function byCode(
  ctx: Context,
  { session, source }: SignInAttempt,
  { code, factor }: { code: string; factor: string | undefined },
): Promise<{ link: string } | { refusal: FactorRefusal } | "wrong" | "over" | "asks-factor"> {
  const token = await sessionTokens.tryCode(ctx, "sign-in", session.digest, code, source);
  if (typeof token === "string") return token;
  const { userId, email } = token;
  if (userId === null) return "over";
  const asksFactor = await factors.hasFactor(ctx.storage.reader, userId);
  if (asksFactor && factor === undefined) return "asks-factor";
  const typed = asksFactor ? typedFactor(factor ?? "") : undefined;
  if (asksFactor && !typed) return { refusal: { kind: "factor-malformed" } };
  const refusal = typed && (await factors.countTry(ctx, userId));
  if (refusal) return { refusal };
  return await ctx.storage.write<{ link: string } | { refusal: FactorRefusal } | "over">(async (tx, rollBack) => {
    const now = ctx.clock();
    const user = await lockUser(tx, userId);
    if (user?.disabledAt !== null || user.email !== email || !user.emailVerified) throw rollBack("over");
    if ((await methods.list(tx, userId)).length > 0) throw rollBack("over");
    const by = { actor: { kind: "user", name: userId }, source } as const;
    const isRight = typed
      ? await factors.verify(ctx, tx, { user, by }, typed, now)
      : !(await factors.hasFactor(tx, userId));
    if (!isRight) throw rollBack({ refusal: { kind: "factor-wrong" } });
    if (!(await consumeEmailToken(tx, token, now))) throw rollBack("over");
    return {
      link: await invites.issueFirstMethod(ctx, tx, { id: userId, appId: user.appId, email }, session.expiresAt, now),
    };
  });
}
