import type { Acr } from "../storage/column-types.ts";

/** The person in a request that is let in. */
export type Person = {
  userId: string;
  /** The login, or what else ends it. */
  loginId: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  /** Sorted by name. */
  groups: string[];
  acr: Acr;
  claimsVersion: number;
};
