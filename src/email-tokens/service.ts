import { timingSafeEqual } from "node:crypto";
import type { Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import type { Clock } from "../lib/clock.ts";
import { digestOf, newSecret, type Random } from "../lib/random.ts";
import type { MailService } from "../mail/service.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { EmailToken } from "./email-token.ts";
import type { MailAllowance } from "./allowance.ts";
import { codeFrom, emailTokenLasts, isLinkSecret, maxCodeTries } from "./rules.ts";
import {
  consumeEmailToken,
  countCodeTry,
  deleteTokensOf,
  findEmailToken,
  findEmailTokenInSlot,
  putEmailToken,
  sweepEmailTokens,
} from "./store.ts";

/** The contents of a mail: `secret` for its link, and the code. Neither is stored. */
/** `link` names the application, so that its page has a look when the token is gone. */
export type IssuedToken = { link: string; code: string; expiresAt: number };

/** Who requests a mail, and its language. */
export type Asker = { clientInfo: ClientInfo; lang: string };

/** The pages that mailed links open. */
const linkPaths: Record<EmailToken["purpose"], string> = {
  "sign-up": "confirm",
  verify: "confirm",
  change: "confirm",
  reset: "reset",
  undo: "restore",
  invite: "invite",
};

export type EmailTokens = ReturnType<typeof createEmailTokens>;

/**
 * Tokens in mails, as a link and an equivalent code. A newer token replaces the one in its slot. A
 * token is consumed by one conditional write in the transaction that it allows.
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
      /** For a token without a mail: a code that nobody knows could only be guessed. */
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
      encryptedSessionId: sessionId === null ? null : await keyring.encrypt(tx, sessionId, emailTokenContext(digest)),
      codeDigest: codeDigest(digest, code),
      codeTries: hasNoCode ? maxCodeTries : 0,
      payload,
      createdAt: now,
      expiresAt,
    });
    const link = `${baseUrl}/${linkPaths[asked.purpose]}/${secret}?app_id=${encodeURIComponent(asked.appId)}`;
    return { link, code, expiresAt };
  }

  /** The token of a link, for a page. Only `consume` consumes it. */
  async function find(secret: string, purpose?: EmailToken["purpose"]): Promise<EmailToken | undefined> {
    const token = isLinkSecret(secret) ? await findEmailToken(storage.reader, digestOf(secret), clock()) : undefined;
    return purpose === undefined || token?.purpose === purpose ? token : undefined;
  }

  /**
   * The token in a slot, if this is its code. `code`: eight digits (`typedCode`). The attempt is
   * counted durably before comparing, so parallel guesses gain nothing. "over": nothing left to
   * guess, although the link may still work.
   */
  async function tryCode(inSlot: string, code: string, clientInfo: ClientInfo): Promise<EmailToken | "wrong" | "over"> {
    const token = await storage.write((tx) => countCodeTry(tx, inSlot, clock()));
    if (token && isSame(token.codeDigest, codeDigest(token.digest, code))) return token;
    const about = { userId: token?.userId ?? null, details: { purpose: token?.purpose ?? null } };
    audit.aggregatedEvents.note({
      action: "email-code",
      result: "failure",
      app: { id: token?.appId ?? null },
      clientInfo,
      ...about,
    });
    return token ? "wrong" : "over";
  }

  async function consume(
    tx: Handle,
    token: Pick<EmailToken, "digest" | "purpose">,
    now: number,
  ): Promise<EmailToken | undefined> {
    return await consumeEmailToken(tx, token, now);
  }

  async function useUpVerification(token: EmailToken, user: User, clientInfo: ClientInfo): Promise<boolean> {
    const now = clock();
    return await storage.write(async (tx) => {
      await users.lock(tx, user.id);
      const used = await consume(tx, token, now);
      if (!used || used.userId !== user.id || !(await users.verifyEmail(tx, user, used.email, clientInfo, now)))
        return false;
      const { id: userId, appId } = user;
      const actor = { kind: "user", name: userId } as const;
      const event = { actor, action: "user.address-proven", result: "success", appId, userId, clientInfo } as const;
      await audit.record(tx, { ...event, details: { how: "mail" } }, now);
      return true;
    });
  }

  return {
    slot,
    issue,
    find,
    tryCode,
    consume,

    /** The valid token in a slot; undefined if there is none. */
    async waiting(inSlot: string, handle = storage.reader): Promise<EmailToken | undefined> {
      return await findEmailTokenInSlot(handle, inSlot, clock());
    },

    /** Ends a user's links and codes, except those that undo an earlier change of address. */
    async endAll(tx: Handle, userId: string, { keepUndosBefore }: { keepUndosBefore: number }): Promise<void> {
      await deleteTokensOf(tx, userId, keepUndosBefore);
    },

    async findByDigest(handle: Handle, digest: string): Promise<EmailToken | undefined> {
      return await findEmailToken(handle, digest, clock());
    },

    /** The sign-in session that requested a token. */
    sessionIdOf({ digest, encryptedSessionId }: EmailToken): string | undefined {
      return encryptedSessionId === null ? undefined : keyring.decrypt(encryptedSessionId, emailTokenContext(digest));
    },

    /**
     * Mails the signed-in user a proof of their address. Silently does nothing above the hourly
     * allowance, or if the address is verified or missing; an earlier mail then stays valid.
     */
    async startVerify(user: User, { clientInfo, lang }: Asker): Promise<void> {
      const { id: userId, appId, email, emailVerified } = user;
      if (email === null || emailVerified) return;
      const now = clock();
      await storage.write(async (tx) => {
        if (!(await allowance.count(tx, { purpose: "verify", appId, email, clientInfo }, now))) return;
        const actor = { kind: "user", name: userId } as const;
        await audit.record(
          tx,
          { actor, action: "user.verify-asked", result: "success", appId, userId, clientInfo },
          now,
        );
        const asked = { slot: slot("verify", userId), purpose: "verify", appId, userId, email } as const;
        const proof = await issue(tx, asked, now);
        const common = { appId, userId, to: email, locale: lang, origin: clientInfo };
        await mail.enqueue(tx, { ...common, kind: "verify", ...proof }, now);
      });
    },

    /** Whether `startVerify` has sent this user a mail that is still valid. */
    async isVerifying(user: User): Promise<boolean> {
      return (await findEmailTokenInSlot(storage.reader, slot("verify", user.id), clock())) !== undefined;
    },

    /**
     * Verifies the address of the signed-in user, by the newest mail's code (eight digits:
     * `typedCode`) or its link's secret. Keeps all methods: this person has proven both the mailbox
     * and the login.
     */
    async confirmVerify(
      user: User,
      proof: { code: string } | { secret: string },
      clientInfo: ClientInfo,
    ): Promise<"verified" | "wrong" | "over"> {
      const token =
        "code" in proof
          ? await tryCode(slot("verify", user.id), proof.code, clientInfo)
          : ((await find(proof.secret, "verify")) ?? "over");
      if (typeof token === "string") return token;
      if (token.userId !== user.id) return "over";
      return (await useUpVerification(token, user, clientInfo)) ? "verified" : "over";
    },

    /** Removes a batch of expired rows; true if more may be left. */
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
