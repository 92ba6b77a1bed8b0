import type { Application } from "../applications/application.ts";
import type { Audit, Origin } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { MailService } from "../mail/service.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { Passwords } from "../passwords/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { EmailToken, EmailTokenPayload } from "./email-token.ts";
import type { Asker, EmailTokens } from "./service.ts";

/** The sign-in session in which somebody signs up. `signInUrl`: where whoever has an account already can sign in. */
export type SignUpPlace = {
  application: Application;
  sessionId: string;
  sessionDigest: string;
  signInUrl: string | null;
} & Asker;

export type MailSignUp = ReturnType<typeof createMailSignUp>;

/**
 * An account that is created when its address is proven. For an address that has an account everything is the same, but for what its owner reads
 * in the mail: nobody else learns of it (decision 7).
 */
export function createMailSignUp(deps: {
  storage: Storage;
  emailTokens: EmailTokens;
  mail: MailService;
  users: Users;
  passwords: Passwords;
  passkeys: Passkeys;
  audit: Audit;
  clock: Clock;
  baseUrl: string;
}) {
  const { storage, emailTokens, mail, users, passwords, passkeys, audit, clock, baseUrl } = deps;

  const slotOf = (sessionDigest: string): string => emailTokens.slot("sign-up", sessionDigest);

  async function send(
    place: SignUpPlace,
    email: string,
    payload: EmailTokenPayload | null,
    /** Whether a newer token takes the place of the one before even if no mail goes with it. */
    replaces: boolean,
  ): Promise<void> {
    const now = clock();
    const { application, sessionId, sessionDigest, signInUrl, origin, lang } = place;
    const appId = application.id;
    const known = await users.findByEmail(appId, email);
    audit.tally.note({ action: "sign-up.asked", result: "success", app: { id: appId }, origin, details: {} });
    await storage.write(async (tx) => {
      const allowed = await emailTokens.mayMail(tx, { purpose: "sign-up", appId, email }, origin, now);
      if (!allowed && !replaces) return;
      const { secret, code, expiresAt } = await emailTokens.issue(
        tx,
        {
          slot: slotOf(sessionDigest),
          purpose: "sign-up",
          appId,
          userId: null,
          email,
          sessionId,
          payload: known ? null : payload,
          // By the hour's allowance alone, which is the same for every address: nobody gets five more guesses by asking once more.
          hasNoCode: !allowed,
        },
        now,
      );
      const common = { appId, to: email, locale: known?.locale ?? lang, origin };
      if (allowed && known)
        await mail.enqueue(tx, { ...common, userId: known.id, kind: "known-address", signInUrl }, now);
      else if (allowed && payload) {
        const proof = { link: `${baseUrl}/confirm/${secret}`, code, expiresAt };
        await mail.enqueue(tx, { ...common, userId: null, kind: "sign-up", ...proof }, now);
      }
    });
  }

  /** Uses the token up and creates the user; undefined when the token is over, or the address or the passkey was taken meanwhile. */
  async function create(tx: Handle, token: EmailToken, origin: Origin, now: number): Promise<string | undefined> {
    const used = await emailTokens.consume(tx, token, now);
    if (!used?.payload) return undefined;
    const { appId, email, payload } = used;
    const handle = "passkey" in payload ? { handle: payload.passkey.userHandle } : {};
    const signedUp = { method: "passkey" in payload ? "passkey" : "password", origin } as const;
    const person = { appId, email, emailVerified: true, name: payload.name, ...handle, signedUp };
    const user = await users.create(tx, person, now);
    if (!user) return undefined;
    if ("passwordHash" in payload) await passwords.add(tx, user.id, payload.passwordHash, now);
    else if (!(await passkeys.add(tx, user.id, payload.passkey, payload.userAgent, now))) return undefined;
    return user.id;
  }

  return {
    /** Whether accounts wait for the proof of their address at all. */
    isOn: mail.canVerify,

    /** Mails a link and a code with which this account is created. The password is hashed, or the passkey verified, by now. */
    async begin(place: SignUpPlace, email: string, payload: EmailTokenPayload): Promise<void> {
      await send(place, email, payload, true);
    },

    /** Sends a new mail in place of the last one, unless the address has had too many within the hour. False when nothing waits in this session. */
    async again(place: SignUpPlace): Promise<boolean> {
      const token = await emailTokens.waiting(slotOf(place.sessionDigest));
      if (token) await send(place, token.email, token.payload, false);
      return token !== undefined;
    },

    /** What waits in a session for its address to be proven. */
    async waiting(sessionDigest: string): Promise<EmailToken | undefined> {
      return await emailTokens.waiting(slotOf(sessionDigest));
    },

    /** The session's token, when this is its code. `code`: eight digits (`typedCode`). */
    async tryCode(sessionDigest: string, code: string, origin: Origin): Promise<EmailToken | "wrong" | "over"> {
      return await emailTokens.tryCode(slotOf(sessionDigest), code, origin);
    },

    create,

    /** Creates the user where the session has timed out before its address was proven, and signs nobody in. False when it cannot be done any more. */
    async createOnly(token: EmailToken, origin: Origin): Promise<boolean> {
      const now = clock();
      try {
        await storage.write(async (tx) => {
          const userId = await create(tx, token, origin, now);
          // Rolls back: a user without the passkey that it was to have would be nobody's.
          if (userId === undefined) throw new AppError("CONFLICT", "The account cannot be created.");
        });
        return true;
      } catch (error) {
        if (error instanceof AppError && error.code === "CONFLICT") return false;
        throw error;
      }
    },
  };
}
