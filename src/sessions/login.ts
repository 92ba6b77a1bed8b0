import type {
  ClaimsRequest,
  EndReason,
  LoginActor,
  OrganizationProof,
  SecondFactorProof,
  SignInMethod,
  SignInProof,
} from "../storage/column-types.ts";

/**
 * The result of a sign-in: a live session with its chain of refresh tokens. Instants are epoch
 * milliseconds.
 */
export type Login = {
  id: string;
  appId: string;
  userId: string;
  /** `operator`: nobody signed in, a command minted a token. */
  signedInWith: SignInMethod | "operator";
  /** The operator who acts as the user in a minted token; null: the user, or a program. */
  actor: LoginActor | null;
  provider: string | null;
  /** All proofs of the sign-in; null: only `signedInWith`. */
  proofs: SignInProof[] | null;
  /** Null, too, once a factor of the user was removed. */
  secondFactor: SecondFactorProof | null;
  /** Of organizations' providers; null: none. Without another proof, the login is confined. */
  organizationProofs: OrganizationProof[] | null;
  scopes: string[];
  publicClient: boolean;
  /** The OpenID Connect client; null: the application itself. */
  clientId: string | null;
  /** The claims requested by the `claims` parameter. */
  claimsRequest: ClaimsRequest | null;
  /** The resource that its access tokens are for; null: the application. */
  resource: string | null;
  /** Of a public client: the thumbprint of the key that its refresh tokens are bound to. */
  proofKey: string | null;
  /** The organization that it last named; null: none. */
  organizationId: string | null;
  signedInAt: number;
  /**
   * When the provider authenticated the user, by its claim; 0: unknown; null: authenticated here.
   */
  provenElsewhereAt: number | null;
  createdAt: number;
  lastSeenAt: number;
  ipAddress: string | null;
  userAgent: string | null;
  /** The tie of the account page's session that this sign-in opened or continued. */
  browserSessionDigest: string | null;
  /** As of a known browser; null: unknown, or nobody counts the logins. */
  browserDigest: string | null;
  generation: number;
  refreshDigest: string;
  previousDigest: string | null;
  refreshedAt: number;
  expiresAt: number;
  endedAt: number | null;
  endReason: EndReason | null;
};

/** The parts of a login that go into its tokens or decide whether it may continue. */
export type LoginToContinue = Pick<
  Login,
  | "id"
  | "appId"
  | "userId"
  | "signedInWith"
  | "provider"
  | "proofs"
  | "secondFactor"
  | "organizationProofs"
  | "scopes"
  | "publicClient"
  | "clientId"
  | "claimsRequest"
  | "resource"
  | "organizationId"
  | "signedInAt"
  | "provenElsewhereAt"
>;

export type LoginRotation = {
  id: string;
  appId: string;
  presentedDigest: string;
  successorDigest: string;
  generation: number;
  /** What the login names from now on, or `none`; null: what it names then. */
  organizationId: string | null;
  now: number;
  idleSince: number;
};

/**
 * The user of a live access token. Read from storage on every call, from the login's copy of the
 * user's data (docs/decisions/0027).
 */
export type LiveUser = {
  id: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  /** Changes with the user's metadata, groups and memberships. */
  claimsVersion: number;
  secondFactor: SecondFactorProof | null;
};
