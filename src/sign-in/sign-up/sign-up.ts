import type { EmailToken } from "../../email-tokens/email-token.ts";
import type { MailSignUp, SignUpPlace } from "../../email-tokens/mail-sign-up.ts";
import { appHome } from "../../hosted/hosted.ts";
import { canonicalEmail } from "../../lib/email.ts";
import type { CreateAccountProblem } from "../../pages/parts/problems.ts";
import type { Passkeys } from "../../passkeys/service.ts";
import type { NewPasswords } from "../../passwords/new-passwords.ts";
import type { Passwords } from "../../passwords/service.ts";
import type { EmailTokenPayload } from "../../storage/column-types.ts";
import type { Users } from "../../users/service.ts";
import { passkeyPlaceOf, type Holder } from "../holder.ts";
import { newPerson } from "./new-person.ts";
import type { Outcome, Proofs } from "../proofs.ts";
import type { SignIn } from "../service.ts";

/** A mail asks to verify the address; the account is created after that. */
type CheckMail = "check-mail";

export type SignUp = ReturnType<typeof createSignUp>;

/**
 * Creates an account and signs in, in one transaction. A refused sign-up is not a failed sign-in.
 */
export function createSignUp(deps: {
  signIn: SignIn;
  proofs: Proofs;
  passwords: Passwords;
  newPasswords: NewPasswords;
  passkeys: Passkeys;
  users: Users;
  mailSignUp: MailSignUp;
}) {
  const { signIn, proofs, passwords, newPasswords, passkeys, users, mailSignUp } = deps;

  /** For an address with an account, the result is the same; only the mail differs. */
  async function askByMail(holder: Holder, email: string, payload: EmailTokenPayload): Promise<CheckMail> {
    if (await mailSignUp.begin(signUpPlaceOf(holder), email, payload)) await signIn.awaitMail(holder.session);
    return "check-mail";
  }

  return {
    /** `network`: counts the attempt. Throws RATE_LIMITED and BUSY. */
    async byPassword(
      holder: Holder,
      typed: { email: string; name: string; password: string; network: string },
    ): Promise<Outcome<CreateAccountProblem[]> | CheckMail | "other-browser"> {
      const { application, clientInfo } = holder;
      const { password, network } = typed;
      // Nothing is written if the password cannot be hashed now.
      passwords.admit();
      if (!(await signIn.claim(holder.session, holder.browserDigest))) return "other-browser";
      const person = newPerson(typed);
      const problems = Array.isArray(person) ? person : [];
      if (password === "") problems.push({ kind: "password-missing" });
      else {
        const owner = { email: canonicalEmail(typed.email) ?? "", name: Array.isArray(person) ? null : person.name };
        const problem = await newPasswords.problemWith(password, application, owner, network);
        if (problem) problems.push(problem);
      }
      if (Array.isArray(person) || problems.length > 0) return { refusal: problems };
      // Hashed before looking up the address: known and unknown ones take the same time.
      const hash = await newPasswords.hash(password, network);
      if (mailSignUp.isOn) return await askByMail(holder, person.email, { name: person.name, passwordHash: hash });
      const signedUp = { method: "password", clientInfo } as const;
      return await proofs.accept(holder, { signedInWith: "password" }, async (tx, now) => {
        const user = await users.create(tx, { appId: application.id, ...person, signedUp }, now);
        if (user) await passwords.add(tx, user.id, { hash, lastUsedAt: now }, now);
        return user?.id;
      });
    },

    /** `person`: as entered before the passkey was created, to show the form again. */
    async byPasskey(
      holder: Holder,
      credential: string,
    ): Promise<{ outcome: Outcome<"exists"> | CheckMail; person: { email: string; name: string } } | undefined> {
      const { application, clientInfo } = holder;
      const made = await passkeys.proveNew(
        application,
        passkeyPlaceOf(holder.session, holder.browserDigest),
        credential,
      );
      if (!made) return undefined;
      const { email, name, userHandle: handle } = made;
      const { userAgent } = clientInfo;
      const person = { email, name: name ?? "" };
      if (mailSignUp.isOn)
        return { outcome: await askByMail(holder, email, { name, passkey: made, userAgent }), person };
      const signedUp = { method: "passkey", clientInfo } as const;
      const outcome = await proofs.accept<"exists">(holder, { signedInWith: "passkey" }, async (tx, now) => {
        const user = await users.create(tx, { appId: application.id, email, name, handle, signedUp }, now);
        if (!user) return undefined;
        const device = { userAgent, lastUsedAt: now };
        return (await passkeys.add(tx, user.id, made, device, now)) ? user.id : { refusal: "exists" };
      });
      return { outcome, person };
    },

    /**
     * Creates the account whose address a mail has verified. Once the session has expired, nobody
     * is signed in: "account-created", or "link-over" if that is no longer possible.
     */
    async byMail(holder: Holder, token: EmailToken): Promise<Outcome | "account-created" | "link-over"> {
      const { clientInfo } = holder;
      const outcome = await proofs.accept(holder, { signedInWith: methodOf(token) }, (tx, now) =>
        mailSignUp.create(tx, token, { clientInfo, signsIn: true }, now),
      );
      if (outcome !== "over") return outcome;
      const { state } = await signIn.open(holder.sessionId, holder.browserDigest);
      if (state !== "expired") return outcome;
      return (await mailSignUp.createOnly(token, clientInfo)) ? "account-created" : "link-over";
    },
  };
}

/** The method that a mailed token signs up with. */
export function methodOf({ payload }: EmailToken): "passkey" | "password" {
  return payload && "passkey" in payload ? "passkey" : "password";
}

/** What the mail of a sign-up depends on. */
export function signUpPlaceOf(
  holder: Pick<Holder, "application" | "sessionId" | "session" | "clientInfo" | "lang">,
): SignUpPlace {
  const { application, sessionId, session, clientInfo, lang } = holder;
  const signInUrl = appHome(application, session.redirectUri) ?? null;
  return { application, sessionId, sessionDigest: session.digest, signInUrl, clientInfo, lang };
}
