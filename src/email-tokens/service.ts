import { timingSafeEqual } from "node:crypto";
import type { Audit, Origin } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { digestOf, newSecret, type Random } from "../lib/random.ts";
import type { MailService } from "../mail/service.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { EmailToken } from "./email-token.ts";
import type { MailAllowance } from "./allowance.ts";
import { codeFrom, emailTokenLasts, isLinkSecret, mostCodeTries } from "./rules.ts";
import {
  consumeEmailToken,
  countCodeTry,
  findEmailToken,
  findEmailTokenInSlot,
  putEmailToken,
  sweepEmailTokens,
} from "./store.ts";

/** What is put into a mail: `secret` into its link, and the code beside it. Neither is kept. */
export type IssuedToken = { secret: string; code: string; expiresAt: number };

/** Who asks for a mail, and in which language it is to be. */
export type Asker = { origin: Origin; lang: string };

export type EmailTokens = ReturnType<typeof createEmailTokens>;

/**
 * What mails carry as a link and as a code that is worth the same. A token stands in a slot, where a newer one replaces it. It is used up by one
 * conditional write in the transaction of what it is good for.
 */
export function createEmailTokens(deps: {
  storage: Storage;
  keyring: Keyring;
  mail: MailService;
  allowance: MailAllowance;
  users: Users;
  audit: Audit;
  clock: Clock;
  random: Random;
  baseUrl: string;
}) {
  const { storage, keyring, mail, allowance, users, audit, clock, random, baseUrl } = deps;

  function slot(purpose: EmailToken["purpose"], ...whose: string[]): string {
    return keyring.mac("email", "slot", purpose, ...whose).toString("base64url");
  }

  function codeDigest(digest: string, code: string): string {
    return keyring.mac("email", "code", digest, code).toString("base64url");
  }

  async function issue(
    tx: Handle,
    asked: Pick<EmailToken, "slot" | "purpose" | "appId" | "userId" | "email"> & {
      sessionId?: string | null;
      payload?: EmailToken["payload"];
      /** For a token that no mail carries: a code that nobody was told is only there to be guessed. */
      hasNoCode?: boolean;
    },
    now: number,
  ): Promise<IssuedToken> {
    const { sessionId = null, payload = null, hasNoCode = false, ...known } = asked;
    const secret = newSecret(random);
    const code = codeFrom(random(8));
    const digest = digestOf(secret);
    const expiresAt = now + emailTokenLasts[asked.purpose];
    await putEmailToken(tx, {
      ...known,
      digest,
      encryptedSessionId: sessionId === null ? null : keyring.encrypt(sessionId, emailTokenContext(digest)),
      codeDigest: codeDigest(digest, code),
      codeTries: hasNoCode ? mostCodeTries : 0,
      payload,
      createdAt: now,
      expiresAt,
    });
    return { secret, code, expiresAt };
  }

  /**
   * Counts a mail that anybody may ask for; false when the address has had enough of its kind, or the network that asks has: then the address keeps
   * what it may still have. Known and unknown addresses are counted alike.
   */
  async function mayMail(
    tx: Handle,
    { purpose, appId, email }: Pick<EmailToken, "purpose" | "appId" | "email">,
    origin: Origin,
    now: number,
  ): Promise<boolean> {
    const ofNetwork = await allowance.takeOfNetwork(tx, origin.ipAddress, now);
    return ofNetwork && (await allowance.take(tx, purpose, appId, email, now));
  }

  /** The token that a link names, for a page to look at: used up by nothing but `consume`. */
  async function find(secret: string, purpose?: EmailToken["purpose"]): Promise<EmailToken | undefined> {
    const token = isLinkSecret(secret) ? await findEmailToken(storage.reader, digestOf(secret), clock()) : undefined;
    return purpose === undefined || token?.purpose === purpose ? token : undefined;
  }

  /**
   * The token in a slot, when this is its code. `code`: eight digits (`typedCode`). The try is counted, for good, before anybody compares:
   * of parallel guesses no more get through than of guesses in a row. "over": nothing to guess any more, though its link may still work.
   */
  async function tryCode(inSlot: string, code: string, origin: Origin): Promise<EmailToken | "wrong" | "over"> {
    const token = await storage.write((tx) => countCodeTry(tx, inSlot, clock()));
    if (token && isSame(token.codeDigest, codeDigest(token.digest, code))) return token;
    const about = { userId: token?.userId ?? null, details: { purpose: token?.purpose ?? null } };
    audit.tally.note({ action: "email-code", result: "failure", app: { id: token?.appId ?? null }, origin, ...about });
    return token ? "wrong" : "over";
  }

  async function consume(
    tx: Handle,
    token: Pick<EmailToken, "digest" | "purpose">,
    now: number,
  ): Promise<EmailToken | undefined> {
    return await consumeEmailToken(tx, token, now);
  }

  async function useUpVerification(token: EmailToken, user: User, origin: Origin): Promise<boolean> {
    const now = clock();
    return await storage.write(async (tx) => {
      const used = await consume(tx, token, now);
      if (!used || used.userId !== user.id || !(await users.verifyEmail(tx, user, used.email, origin, now)))
        return false;
      const { id: userId, appId } = user;
      const actor = { kind: "user", name: userId } as const;
      const event = { actor, action: "user.address-proven", result: "success", appId, userId, origin } as const;
      await audit.record(tx, { ...event, details: { how: "mail" } }, now);
      return true;
    });
  }

  return {
    slot,
    issue,
    mayMail,
    find,
    tryCode,
    consume,

    /** The token that waits in a slot; undefined when there is none, or no longer. */
    async waiting(inSlot: string): Promise<EmailToken | undefined> {
      return await findEmailTokenInSlot(storage.reader, inSlot, clock());
    },

    /** The sign-in session in which a token was asked for. */
    sessionIdOf({ digest, encryptedSessionId }: EmailToken): string | undefined {
      return encryptedSessionId === null ? undefined : keyring.decrypt(encryptedSessionId, emailTokenContext(digest));
    },

    /**
     * Mails somebody who is signed in to the account page what proves their address. Sends nothing, and says nothing of it, when the address has
     * had too many mails within the hour, is proven already, or is none; then the mail before it stays good.
     */
    async startVerify(user: User, { origin, lang }: Asker): Promise<void> {
      const { id: userId, appId, email, emailVerified } = user;
      if (email === null || emailVerified) return;
      const now = clock();
      await storage.write(async (tx) => {
        if (!(await mayMail(tx, { purpose: "verify", appId, email }, origin, now))) return;
        const actor = { kind: "user", name: userId } as const;
        await audit.record(tx, { actor, action: "user.verify-asked", result: "success", appId, userId, origin }, now);
        const asked = { slot: slot("verify", userId), purpose: "verify", appId, userId, email } as const;
        const { secret, code, expiresAt } = await issue(tx, asked, now);
        const common = { appId, userId, to: email, locale: lang, origin, code, expiresAt };
        await mail.enqueue(tx, { ...common, kind: "verify", link: `${baseUrl}/confirm/${secret}` }, now);
      });
    },

    /** Whether `startVerify` has sent something to this user that can still be used. */
    async isVerifying(user: User): Promise<boolean> {
      return (await findEmailTokenInSlot(storage.reader, slot("verify", user.id), clock())) !== undefined;
    },

    /**
     * Proves the address of the user whom this browser is signed in as, by the code (eight digits: `typedCode`) or by the link's secret of the
     * newest mail. What the account has stays: whoever is here has proven the mailbox and the login, both.
     */
    async confirmVerify(
      user: User,
      proof: { code: string } | { secret: string },
      origin: Origin,
    ): Promise<"verified" | "wrong" | "over"> {
      const token =
        "code" in proof
          ? await tryCode(slot("verify", user.id), proof.code, origin)
          : ((await find(proof.secret, "verify")) ?? "over");
      if (typeof token === "string") return token;
      if (token.userId !== user.id) return "over";
      return (await useUpVerification(token, user, origin)) ? "verified" : "over";
    },

    /** Removes a batch of what has expired; true when more may be left. */
    async sweep(): Promise<boolean> {
      const now = clock();
      return await storage.write((tx) => sweepEmailTokens(tx, now));
    },
  };
}

export function emailTokenContext(digest: string): string {
  return `email_tokens ${digest}`;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
