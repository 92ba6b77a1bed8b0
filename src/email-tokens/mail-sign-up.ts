import type { Application } from "../applications/application.ts";
import type { Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import type { Clock } from "../lib/clock.ts";
import type { MailService } from "../mail/service.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { Passwords } from "../passwords/service.ts";
import type { EmailTokenPayload } from "../storage/column-types.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { MailAllowance } from "./allowance.ts";
import type { EmailToken } from "./email-token.ts";
import type { Asker, EmailTokens } from "./service.ts";

/**
 * The sign-in session of a sign-up. `signInUrl`: where people who already have an account can sign
 * in.
 */
export type SignUpPlace = {
  application: Application;
  sessionId: string;
  sessionDigest: string;
  signInUrl: string | null;
} & Asker;

export type MailSignUp = ReturnType<typeof createMailSignUp>;

/**
 * Creates an account once its address is verified. For an address with an account, only the mail
 * differs, so only its owner learns of the account (docs/spec/decisions.md, 7).
 */
export function createMailSignUp(deps: {
  storage: Storage;
  emailTokens: EmailTokens;
  allowance: MailAllowance;
  mail: MailService;
  users: Users;
  passwords: Passwords;
  passkeys: Passkeys;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, emailTokens, allowance, mail, users, passwords, passkeys, audit, clock } = deps;

  const slotOf = (sessionDigest: string): string => emailTokens.slot("sign-up", sessionDigest);

  async function send(
    place: SignUpPlace,
    email: string,
    payload: EmailTokenPayload | null,
    /** Whether a new token replaces the previous one even without a mail. */
    replaces: boolean,
  ): Promise<boolean> {
    const now = clock();
    const { application, sessionId, sessionDigest, signInUrl, clientInfo, lang } = place;
    const appId = application.id;
    const known = await users.findByEmail(appId, email);
    audit.aggregatedEvents.note({
      action: "sign-up.asked",
      result: "success",
      app: { id: appId },
      clientInfo,
      details: {},
    });
    return await storage.write(async (tx) => {
      const allowed = await allowance.count(tx, { purpose: "sign-up", appId, email, clientInfo }, now);
      if (!allowed && !replaces) return false;
      const proof = await emailTokens.issue(
        tx,
        {
          slot: slotOf(sessionDigest),
          purpose: "sign-up",
          appId,
          userId: null,
          email,
          sessionId,
          payload: known ? null : payload,
          // Depends only on the hourly allowance, which is the same for every address: asking again
          // must not yield more guesses.
          hasNoCode: !allowed,
        },
        now,
      );
      const common = { appId, to: email, locale: known?.locale ?? lang, origin: clientInfo };
      if (allowed && known)
        await mail.enqueue(tx, { ...common, userId: known.id, kind: "known-address", signInUrl }, now);
      else if (allowed && payload) await mail.enqueue(tx, { ...common, userId: null, kind: "sign-up", ...proof }, now);
      return allowed;
    });
  }

  /**
   * Consumes the token and creates the user; undefined if the token is over or the address or
   * passkey is taken. `signsIn`: the method signs in at once.
   */
  async function create(
    tx: Handle,
    token: EmailToken,
    { clientInfo, signsIn }: { clientInfo: ClientInfo; signsIn: boolean },
    now: number,
  ): Promise<string | undefined> {
    const lastUsedAt = signsIn ? now : null;
    const used = await emailTokens.consume(tx, token, now);
    if (!used?.payload) return undefined;
    const { appId, email, payload } = used;
    const handle = "passkey" in payload ? { handle: payload.passkey.userHandle } : {};
    const signedUp = { method: "passkey" in payload ? "passkey" : "password", clientInfo } as const;
    const person = { appId, email, emailVerified: true, name: payload.name, ...handle, signedUp };
    const user = await users.create(tx, person, now);
    if (!user) return undefined;
    if ("passwordHash" in payload) await passwords.add(tx, user.id, { hash: payload.passwordHash, lastUsedAt }, now);
    else if (!(await passkeys.add(tx, user.id, payload.passkey, { userAgent: payload.userAgent, lastUsedAt }, now)))
      return undefined;
    return user.id;
  }

  return {
    /** Whether new accounts require a verified address. */
    isOn: mail.available,

    /**
     * Mails a link and a code that create this account. False above the allowance: then nothing is
     * sent. The password is already hashed, or the passkey verified.
     */
    async begin(place: SignUpPlace, email: string, payload: EmailTokenPayload): Promise<boolean> {
      return await send(place, email, payload, true);
    },

    /**
     * Replaces the last mail by a new one, within the hourly allowance. False if nothing waits in
     * this session.
     */
    async again(place: SignUpPlace): Promise<boolean> {
      const token = await emailTokens.waiting(slotOf(place.sessionDigest));
      if (token) await send(place, token.email, token.payload, false);
      return token !== undefined;
    },

    /** The sign-up that waits in a session for its address to be verified. */
    async waiting(sessionDigest: string): Promise<EmailToken | undefined> {
      return await emailTokens.waiting(slotOf(sessionDigest));
    },

    /** The session's token, if this is its code. `code`: eight digits (`typedCode`). */
    async tryCode(sessionDigest: string, code: string, clientInfo: ClientInfo): Promise<EmailToken | "wrong" | "over"> {
      return await emailTokens.tryCode(slotOf(sessionDigest), code, clientInfo);
    },

    create,

    /**
     * Creates the user after the session timed out, without signing in. False if that is no longer
     * possible.
     */
    async createOnly(token: EmailToken, clientInfo: ClientInfo): Promise<boolean> {
      const now = clock();
      return await storage.write<boolean>(async (tx, rollBack) => {
        const userId = await create(tx, token, { clientInfo, signsIn: false }, now);
        // A user without the chosen passkey could not be used by anyone.
        if (userId === undefined) throw rollBack(false);
        return true;
      });
    },
  };
}
