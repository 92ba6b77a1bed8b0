import type { NewPasskey } from "../passkeys/service.ts";

/** What a mail proves: the address of an account that is about to be, of one that is there, or the right to a new password. */
export type EmailTokenPurpose = "sign-up" | "verify" | "reset";

/** What a sign-up waits with until its address is proven. */
export type EmailTokenPayload = { name: string | null } & (
  | { passwordHash: string }
  | { passkey: NewPasskey; userAgent: string | null }
);

/** The link and the code of one mail: of the secret in the link only the digest is kept, of the code only a MAC. Instants are epoch milliseconds. */
export type EmailToken = {
  digest: string;
  /** What a newer mail replaces. */
  slot: string;
  purpose: EmailTokenPurpose;
  appId: string;
  /** Null for a sign-up, and for an address that nobody has: that token is in no mail. */
  userId: string | null;
  /** The address that its use proves; "" when it was handed over by an operator, and proves none. */
  email: string;
  encryptedSessionId: string | null;
  codeDigest: string;
  codeTries: number;
  payload: EmailTokenPayload | null;
  createdAt: number;
  expiresAt: number;
};
