import type { EmailTokenPurpose, EmailTokenPayload } from "../../storage/column-types.ts";

/**
 * The link and code of one mail. Only a digest of the link's secret and a MAC of the code are
 * stored. Instants are epoch milliseconds.
 */
export type EmailToken = {
  digest: string;
  /** A newer mail replaces the token with the same slot. */
  slot: string;
  purpose: EmailTokenPurpose;
  appId: string;
  /** Null for a sign-up, and for an unknown address. */
  userId: string | null;
  /** The address that its use proves; "" if an operator handed over the link. */
  email: string;
  encryptedSessionId: string | null;
  codeDigest: string;
  codeTries: number;
  payload: EmailTokenPayload | null;
  createdAt: number;
  expiresAt: number;
};
