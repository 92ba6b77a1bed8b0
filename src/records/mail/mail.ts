import type { MailKind } from "../../storage/column-types.ts";

/**
 * The client whose action a mail reports, shown as a rough device and an IP address. Times are in
 * its zone; UTC if unknown.
 */
export type MailClientInfo = { ipAddress: string | null; userAgent: string | null; timeZone?: string | null };

/**
 * A sign-in method in a notice. `name`: the owner's name for a passkey, or the provider's
 * ("Google").
 */
export type MailMethod = { type: "passkey" | "oauth" | "password"; name: string | null };

type Common = {
  appId: string;
  /**
   * Null if the address does not belong to a user yet. A user's mails are deleted with the user.
   */
  userId: string | null;
  /** In canonical form (`canonicalEmail`). */
  to: string;
  /** A BCP 47 tag; null or unknown: English. */
  locale: string | null;
  /** Stored under this name in mails that already wait in the outbox. */
  origin: MailClientInfo;
};

/**
 * A link and an equivalent eight-digit code, which prove that the reader receives mail at this
 * address.
 */
type Proof = {
  link: string;
  code: string;
  /** When link and code expire, in epoch milliseconds. The mail is not sent later than that. */
  expiresAt: number;
};

type OfOrganization = { organization: string };

/**
 * A mail as requested by another domain. Its time is the `now` of `enqueue`. Notices include the
 * account page's URL automatically. A mail must not contain text that a stranger chose: anyone
 * could then write to anyone in our name.
 */
export type Mail = Common &
  (
    | ({
        kind: /* Verify the address, which creates the account. */
          | "sign-up"
          /** Verify the address of an existing account. */
          | "verify"
          /** Choose a new password. */
          | "reset"
          /** Verify the new address of an existing account. */
          | "change-address";
      } & Proof)
    /**
     * Sign in, in the browser that asked. `connects`: the host of a company's provider, to which
     * the code connects the account.
     */
    | ({ kind: "sign-in"; connects?: string } & Proof)
    /** Opens the form for a password without a puzzle. */
    | ({ kind: "password-form" } & Omit<Proof, "code">)
    /**
     * To the earlier address, which the link restores; or to a person who has to choose a sign-in
     * method.
     */
    | ({ kind: "address-changed" | "invite" } & Omit<Proof, "code">)
    /**
     * Somebody tried to create an account with an address that already has one. Contains no secret.
     */
    | { kind: "known-address"; signInUrl: string | null }
    | { kind: "method-added" | "method-removed"; method: MailMethod }
    | { kind: "factor-added" | "factor-removed" | "recovery-codes-new" | "factor-guessed" | "recovery-link-made" }
    | { kind: "recovery-code-used"; codesLeft: number }
    /** The name is its owner's; empty if the address may be a stranger's. */
    | { kind: "personal-token-made" | "personal-token-ending"; tokenName: string; endsAt: number }
    /**
     * About an organization, whose name may not look like an address. `person`: the address of who
     * joined, left or declined; `inviter`: a verified one; null: the application itself invites.
     */
    | ({ kind: "organization-invite" | "organization-setup"; inviter: string | null } & OfOrganization &
        Omit<Proof, "code">)
    /** Opens a set-up link, in the browser that asked. */
    | ({ kind: "organization-setup-code" } & OfOrganization & Proof)
    | ({ kind: "organization-deleted"; organizationId: string } & OfOrganization & Pick<Proof, "expiresAt">)
    | ({
        kind: "organization-declined" | "organization-owner-added" | "organization-owner-removed";
        person: string;
      } & OfOrganization)
    /**
     * To the previous address: `address-replaced` by an operator or the application's server,
     * `address-restored` by the owner of an earlier one.
     */
    | { kind: "password-changed" | "new-device" | "address-replaced" | "address-restored" }
    /**
     * To people who waited for approval. `sentence`: an operator's, and only to a proved address;
     * `link`: where they continue, or choose how to sign in.
     */
    | { kind: "approved"; sentence: string | null; link: string | null }
    | { kind: "refused"; sentence: string | null }
    /** To operators: no names. `link` leads to a page that needs a sign-in. */
    | { kind: "accounts-waiting"; waiting: number; link: string | null }
    /** To owners of an organization: the record of its domain is not there. */
    | { kind: "domain-missing" | "domain-lost"; domain: string; organizationId: string }
    /**
     * About the provider of an organization, by the host of its issuer: to the owners, that another
     * one will work, or that it fails; to a member, that they may link a new identity.
     */
    | ({ organizationId: string; provider: string } & OfOrganization &
        (
          | { kind: "organization-provider-changes"; worksAt: number }
          | { kind: "organization-provider-fails"; since: number; reason: string }
          | { kind: "organization-relink"; endsAt: number; lastUsedAt: number | null }
        ))
  );

/** A mail ready to send. */
export type MailMessage = {
  /** The id of the row in the outbox, the same for all attempts. */
  id: string;
  kind: MailKind;
  to: string;
  /** Shown with the sender's address if the configuration has no name. */
  senderName: string;
  subject: string;
  text: string;
  html: string;
  /** BCP 47. */
  language: string;
};

/**
 * The result of one attempt. `refused`: the address will never work. `failed`: worth another
 * attempt. `reason`: a few words for the operator, without address or content. `answer`: the
 * server's own words, which may contain the address.
 */
export type Sending = { result: "sent"; answer?: string } | { result: "refused" | "failed"; reason: string };

/** Sends messages; never throws. */
export type Transport = {
  send(message: MailMessage): Promise<Sending>;
  /** Closes the connections; mails being sent fail. */
  close(): void;
};
