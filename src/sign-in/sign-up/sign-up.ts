/**
 * Creates an account and signs in, in one transaction. A refused sign-up is not a failed sign-in.
 */
import { appHome } from "../../applications/application.ts";
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as mailSignUp from "../../credentials/mailed/mail-sign-up.ts";
import type { SignUpPlace } from "../../credentials/mailed/mail-sign-up.ts";
import * as passkeys from "../../credentials/passkeys/service.ts";
import { hasher } from "../../credentials/passwords/hasher.ts";
import * as newPasswords from "../../credentials/passwords/new-passwords.ts";
import * as passwords from "../../credentials/passwords/service.ts";
import { canonicalEmail } from "../../lib/email.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { EmailTokenPayload } from "../../storage/column-types.ts";
import * as users from "../../users/service.ts";
import * as proofs from "../proofs.ts";
import type { How, Outcome } from "../proofs.ts";
import * as signIn from "../service.ts";
import { passkeyPlaceOf, type SignInAttempt } from "../sign-in-attempt.ts";
import { newPerson } from "./new-person.ts";
import type { CreateAccountProblem } from "../problems.ts";

/** A mail asks to verify the address; the account is created after that. */
type CheckMail = "check-mail";

/** For an address with an account, the result is the same; only the mail differs. */
export async function askByMail(
  ctx: Context,
  attempt: SignInAttempt,
  email: string,
  payload: EmailTokenPayload,
): Promise<CheckMail> {
  if (await mailSignUp.begin(ctx, signUpPlaceOf(attempt), email, payload)) await signIn.awaitMail(ctx, attempt.session);
  return "check-mail";
}

/** `network`: counts the attempt. Throws RATE_LIMITED and BUSY. */
export async function byPassword(
  ctx: Context,
  attempt: SignInAttempt,
  typed: { email: string; name: string; password: string; network: string },
): Promise<Outcome<CreateAccountProblem[]> | CheckMail | "other-browser"> {
  const { application, source } = attempt;
  const { password, network } = typed;
  // Nothing is written if the password cannot be hashed now.
  hasher(ctx).admit();
  if (!(await signIn.claim(ctx, attempt.session, attempt.browserDigest))) return "other-browser";
  const person = newPerson(ctx, application, typed);
  const problems = Array.isArray(person) ? person : [];
  if (password === "") problems.push({ kind: "password-missing" });
  else {
    const owner = { email: canonicalEmail(typed.email) ?? "", name: Array.isArray(person) ? null : person.name };
    const problem = await newPasswords.problemWith(ctx, password, application, owner, network);
    if (problem) problems.push(problem);
  }
  if (Array.isArray(person) || problems.length > 0) return { refusal: problems };
  // Hashed before looking up the address: known and unknown ones take the same time.
  const hash = await newPasswords.hash(ctx, password, network);
  if (mail.available(ctx))
    return await askByMail(ctx, attempt, person.email, { name: person.name, passwordHash: hash });
  const signedUp = { method: "password", source, asksApproval: true } as const;
  return await proofs.accept(ctx, attempt, { signedInWith: "password" }, async (tx, now) => {
    const user = await users.create(ctx, tx, { appId: application.id, ...person, signedUp }, now);
    if (user) await passwords.add(ctx, tx, user.id, { hash, lastUsedAt: now }, now);
    return proofs.provenId(user?.id);
  });
}

/** `person`: as entered before the passkey was created, to show the form again. */
export async function byPasskey(
  ctx: Context,
  attempt: SignInAttempt,
  credential: string,
): Promise<{ outcome: Outcome<"exists"> | CheckMail; person: { email: string; name: string } } | undefined> {
  const { application, source } = attempt;
  const made = await passkeys.proveNew(
    ctx,
    application,
    passkeyPlaceOf(attempt.session, attempt.browserDigest),
    credential,
  );
  if (!made) return undefined;
  const { email, name, userHandle: handle } = made;
  const { userAgent } = source;
  const person = { email, name: name ?? "" };
  if (mail.available(ctx))
    return { outcome: await askByMail(ctx, attempt, email, { name, passkey: made, userAgent }), person };
  const signedUp = { method: "passkey", source, asksApproval: true } as const;
  const outcome = await proofs.accept<"exists">(ctx, attempt, { signedInWith: "passkey" }, async (tx, now) => {
    const user = await users.create(ctx, tx, { appId: application.id, email, name, handle, signedUp }, now);
    if (!user) return proofs.failed;
    const device = { userAgent, lastUsedAt: now };
    const added = await passkeys.add(ctx, tx, user.id, made, device, now);
    return added ? proofs.provenId(user.id) : { kind: "refused", refusal: "exists" };
  });
  return { outcome, person };
}

/**
 * Creates the account whose address a mail has verified. Once the session has expired, nobody
 * is signed in: "account-created", or "link-over" if that is no longer possible.
 */
export async function byMail(
  ctx: Context,
  attempt: SignInAttempt,
  token: EmailToken,
): Promise<Outcome | "account-created" | "link-over"> {
  const { source } = attempt;
  const outcome = await proofs.accept(ctx, attempt, howOf(token), async (tx, now) =>
    proofs.provenId(await mailSignUp.create(ctx, tx, token, { source, signsIn: true }, now)),
  );
  if (outcome !== "over") return outcome;
  const { state } = await signIn.open(ctx, attempt.sessionId, attempt.browserDigest);
  if (state !== "expired") return outcome;
  return await mailSignUp.createOnly(ctx, token, source);
}

/** The method that a mailed token signs up with. */
export function howOf({ payload }: EmailToken): Pick<How, "provider" | "provenElsewhereAt"> & {
  signedInWith: "passkey" | "password" | "oauth";
} {
  // Nobody knows how long ago the provider authenticated the person.
  if (payload && "identity" in payload)
    return { signedInWith: "oauth", provider: payload.identity.provider, provenElsewhereAt: 0 };
  return { signedInWith: payload && "passkey" in payload ? "passkey" : "password" };
}

/** The facts that the mail of a sign-up depends on. */
export function signUpPlaceOf(
  attempt: Pick<SignInAttempt, "application" | "sessionId" | "session" | "source" | "lang">,
): SignUpPlace {
  const { application, sessionId, session, source, lang } = attempt;
  const signInUrl = appHome(application, session.redirectUri) ?? null;
  return { application, sessionId, sessionDigest: session.digest, signInUrl, source, lang };
}
