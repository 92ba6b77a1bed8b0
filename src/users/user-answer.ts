import { isoTime } from "../lib/clock.ts";
import { factsOf, type FactsOn } from "../lib/profile-facts.ts";
import type { Metadata } from "../storage/column-types.ts";
import { isPending, type User } from "./user.ts";
import type { ShownProfile } from "./profile-fields.ts";
import type { TermsAnswerShown } from "./terms.ts";

/**
 * A user as shown by commands: the contract's fields (docs/spec/http-api.md, 2.2), the application,
 * the state.
 */
export type UserAnswer = FactsOn<"server"> & {
  id: string;
  appId: string;
  email: string | null;
  emailVerified: boolean;
  createdAt: string;
  updatedAt: string;
  lastLoginAt: string | null;
  /** A user who waits for approval has it, too. */
  disabledAt: string | null;
  /** Omitted unless the user waits for approval. */
  state?: "pending";
  authMethods: { passkey: boolean; oauth: string[]; password: boolean };
};

export type UserDetailsAnswer = UserAnswer & {
  metadata: { loginCount: number; lastIpAddress: string | null; userAgent: string | null };
  /** Of a user who waits for approval: they were refused before. Omitted otherwise. */
  refusedBefore?: true;
  /** What the application stores; each omitted if it is empty. */
  publicMetadata?: Metadata;
  privateMetadata?: Metadata;
  /** Omitted unless it must. */
  passwordMustChange?: true;
  /** Of the application's own fields. */
  profile?: ShownProfile;
  /** The versions that the user answered. */
  terms?: TermsAnswerShown[];
};

type Shown = Omit<UserAnswer, "createdAt" | "updatedAt" | "lastLoginAt" | "disabledAt" | "state" | "authMethods"> &
  Pick<User, "createdAt" | "updatedAt" | "lastLoginAt" | "disabledAt" | "pendingAt">;

export function userAnswer(
  { baseUrl }: { baseUrl: string },
  user: Shown,
  authMethods: UserAnswer["authMethods"],
): UserAnswer {
  const { id, appId, email, emailVerified, createdAt, updatedAt, lastLoginAt, disabledAt } = user;
  return {
    id,
    appId,
    email,
    emailVerified,
    ...factsOf("server", user, baseUrl),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    lastLoginAt: lastLoginAt === null ? null : isoTime(lastLoginAt),
    disabledAt: disabledAt === null ? null : isoTime(disabledAt),
    ...(isPending(user) && { state: "pending" }),
    authMethods,
  };
}
