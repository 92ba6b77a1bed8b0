import { AppError } from "../lib/errors.ts";
import { factNames, factsFrom, type Fact } from "../lib/profile-facts.ts";
import type { Metadata, ProfileValues } from "../storage/column-types.ts";

/** A person's account in one application. Instants are epoch milliseconds. */
export type User = Record<Fact, string | null> & {
  id: string;
  appId: string;
  email: string | null;
  emailVerified: boolean;
  handle: string;
  createdAt: number;
  updatedAt: number;
  /** When a mailed code made their first own method. */
  mailedMethodAt: number | null;
  disabledAt: number | null;
  /** Since when the user waits for approval; then they are disabled, too. */
  pendingAt: number | null;
  lastLoginAt: number | null;
  /** The previous sign-in. */
  previousLoginAt: number | null;
  loginCount: number;
  lastIpAddress: string | null;
  lastUserAgent: string | null;
  passkeyDeclinedAt: number | null;
  publicMetadata: Metadata | null;
  privateMetadata: Metadata | null;
  /** Of the application's own profile fields. */
  profile: ProfileValues | null;
};

/** A user who has never signed in. */
export function newUser(
  known: Pick<User, "id" | "appId" | "email" | "emailVerified" | "handle"> & Partial<User>,
  now: number,
): User {
  return {
    ...factsFrom(factNames, () => null),
    createdAt: now,
    updatedAt: now,
    mailedMethodAt: null,
    disabledAt: null,
    pendingAt: null,
    lastLoginAt: null,
    previousLoginAt: null,
    loginCount: 0,
    lastIpAddress: null,
    lastUserAgent: null,
    passkeyDeclinedAt: null,
    publicMetadata: null,
    privateMetadata: null,
    profile: null,
    ...known,
  };
}

/** Whether a user waits for approval. */
export function isPending({ disabledAt, pendingAt }: Pick<User, "disabledAt" | "pendingAt">): boolean {
  return disabledAt !== null && pendingAt !== null;
}

/** Throws CONFLICT, with the command that changes it. */
export function refuseDisabled(user: Pick<User, "disabledAt" | "pendingAt">): void {
  if (isPending(user))
    throw new AppError("CONFLICT", "The user waits for approval. To let them in: authsvc user approve");
  if (user.disabledAt !== null)
    throw new AppError("CONFLICT", "The user is disabled. To change that: authsvc user enable");
}

/** Whether a proof of theirs is looked at. The sign-in then tells a pending user that they wait. */
export function mayProve(user: Pick<User, "disabledAt" | "pendingAt"> | undefined): boolean {
  return user !== undefined && (user.disabledAt === null || isPending(user));
}
