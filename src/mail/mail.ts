/** Where the act came from that a mail is about. Shown as a rough device and an IP address, never as sent. */
export type MailOrigin = { ipAddress: string | null; userAgent: string | null };

/** A way to sign in as a notice names it. `name`: what its owner calls a passkey, or how a provider is called ("Google"). */
export type MailMethod = { type: "passkey" | "oauth" | "password"; name: string | null };

type Common = {
  appId: string;
  /** Null where the address belongs to no user yet. A mail goes when its user goes. */
  userId: string | null;
  /** In its canonical form (`canonicalEmail`). */
  to: string;
  /** A BCP 47 tag; null or unknown: English. */
  locale: string | null;
  origin: MailOrigin;
};

/** What proves that somebody reads this address: a link, and an eight-digit code that is worth the same. */
type Proof = {
  link: string;
  code: string;
  /** When link and code end, epoch milliseconds: later the mail is not sent any more. */
  expiresAt: number;
};

/**
 * A mail as another domain asks for it. What it was asked at is the `now` of `enqueue`. Notices carry the address of the account page by
 * themselves. Nothing in a mail may be text that a stranger chose, or anybody could write to anybody in our name.
 */
export type Mail = Common &
  (
    | ({
        kind: /** Confirm the address, so that the account is created. */
          | "sign-up"
          /** Confirm the address of an account that exists. */
          | "verify"
          /** Choose a new password. */
          | "reset";
      } & Proof)
    /** Somebody tried to create an account with an address that has one. Carries nothing secret. */
    | { kind: "known-address"; signInUrl: string | null }
    | { kind: "method-added" | "method-removed"; method: MailMethod }
    | { kind: "password-changed" | "new-device" }
  );

export type MailKind = Mail["kind"];

/** A mail as it is sent. */
export type MailMessage = {
  /** Of the row in the outbox; the same over retries. */
  id: string;
  kind: MailKind;
  to: string;
  /** Shown beside the sender's address where the configuration names nobody. */
  senderName: string;
  subject: string;
  text: string;
  html: string;
  /** BCP 47. */
  language: string;
};

/**
 * What became of one try. `refused`: this address will never take it. `failed`: worth another try. `reason`: a few words for the operator, without
 * address or content.
 */
export type Sending = { result: "sent" } | { result: "refused" | "failed"; reason: string };

/** Hands a message to whoever delivers it; never throws. */
export type Transport = {
  send(message: MailMessage): Promise<Sending>;
  /** Ends its connections; what is being sent fails. */
  close(): void;
};
