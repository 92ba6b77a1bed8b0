import { entriesOf } from "../applications/resources/consented.ts";
import { tokenScopes } from "../applications/resources/resource.ts";
import type { Application } from "../applications/application.ts";
import { minute, second } from "../lib/clock.ts";
import { consentEntry } from "../organizations/gate.ts";
import type {
  Acr,
  AuthorizationDetails,
  CompanyIdentity,
  OrganizationProof,
  SecondFactorProof,
  MethodType,
  SignInMethod,
  SignInProof,
  SessionPurpose,
  PendingLink,
} from "../storage/column-types.ts";

/** The identity that waits until its user is proven by another method. */
export function conflictOf({ pendingLink }: Pick<SignInSession, "pendingLink">): PendingLink | undefined {
  return pendingLink?.kind === "link" ? pendingLink : undefined;
}

/**
 * A sign-in in progress, from initiate to the code. Only digests of its id, browser cookie and code
 * are stored.
 */
export type SignInSession = {
  digest: string;
  appId: string;
  purpose: SessionPurpose;
  redirectUri: string;
  state: string | null;
  /** The method requested by the app; null lets the person choose. */
  authMethod: MethodType | null;
  provider: string | null;
  scopes: string[];
  codeChallenge: string | null;
  loginHint: string | null;
  locale: string | null;
  /** The only user who can complete this session; null allows any. */
  accountUserId: string | null;
  /** The method to add to that user's account. */
  adds: MethodType | null;
  addsProvider: string | null;
  /** Digest of the invitation link that began the session; it counts as the proof. */
  inviteDigest: string | null;
  /** Set if an OpenID Connect client began it; null for the contract's initiate. */
  authorization: AuthorizationDetails | null;
  /**
   * What the request demanded: an id, `none` or `unknown`. `+` and an id: what the proven person
   * took; `choose ` and the demand: they are asked. In the end the id; null: none.
   */
  organizationId: string | null;
  createdAt: number;
  expiresAt: number;
  browserDigest: string | null;
  /** Set after a proof if another step follows. */
  provenUserId: string | null;
  provenWith: SignInMethod | null;
  provenProvider: string | null;
  provenAt: number | null;
  /** As in a `Login`, of the stored proof, or at the end of the sign-in. */
  provenElsewhereAt: number | null;
  pendingLink: PendingLink | null;
  /** From the contract's initiate, in seconds. */
  maxAge: number | null;
  /** The required level. */
  acr: Acr | null;
  /** Digest of the recovery link that began the session. */
  recoveryDigest: string | null;
  /** Proven besides `provenWith`, or in the end besides `signedInWith`. */
  secondFactor: SecondFactorProof | null;
  awaitsMail: boolean | null;
  userId: string | null;
  signedInWith: SignInMethod | null;
  signedInProvider: string | null;
  signedInAt: number | null;
  /** All proofs of the sign-in; null: only `signedInWith`. */
  proofs: SignInProof[] | null;
  ipAddress: string | null;
  userAgent: string | null;
  browserSessionDigest: string | null;
  /** Of the browser that finished it, as in `known_browsers`. */
  knownBrowserDigest: string | null;
  /** As in a `Login`: of the browser, and of this sign-in. */
  organizationProofs: OrganizationProof[] | null;
  /** Whom an organization's provider named, until the person agrees or proves an account. */
  companyIdentity: CompanyIdentity | null;
  codeDigest: string | null;
  codeExpiresAt: number | null;
  codeUsedAt: number | null;
  loginId: string | null;
};

/** In `organizationId`, before the demand if there is one: the person is asked. */
const asking = "choose ";

export function askingFor(demand: string | null): string {
  return `${asking}${demand ?? ""}`;
}

export function isAsking({ organizationId }: Pick<SignInSession, "organizationId">): boolean {
  return organizationId?.startsWith(asking) === true;
}

/** The id of the organization that the session demands or took. */
export function organizationOf({ organizationId }: Pick<SignInSession, "organizationId">): string | null {
  const id = organizationId?.replace(/^\+/u, "");
  return id?.startsWith("org_") === true ? id : null;
}

/** How a session that is not finished stores what its person took. */
export function takenByPerson(organizationId: string): string {
  return `+${organizationId}`;
}

/** What the request demanded, for every person. */
export function demandOf({ organizationId }: Pick<SignInSession, "organizationId">): string | null {
  if (organizationId === null || organizationId.startsWith("+")) return null;
  return isAsking({ organizationId }) ? organizationId.slice(asking.length) || null : organizationId;
}

/** Whether only the person's consent is missing: all proofs are stored. */
export function waitsForConsent(session: SignInSession): boolean {
  return isProven(session) && !isAsking(session);
}

/** Whether all is proven, and the person chooses an organization. */
export function waitsForChoice(session: SignInSession): boolean {
  return isProven(session) && isAsking(session);
}

/** Whether only the person's own decisions are missing. */
export function isProven({ provenUserId, proofs, signedInAt }: SignInSession): boolean {
  return provenUserId !== null && proofs !== null && signedInAt === null;
}

/**
 * The consent of a person: the scopes of OpenID Connect, and the resource with its own, whose names
 * another resource may also use.
 */
export function consentTo({
  scopes,
  authorization,
  organizationId: stored,
}: Pick<SignInSession, "scopes" | "authorization" | "organizationId">): string[] {
  const resource = authorization?.resource;
  const organizationId = organizationOf({ organizationId: stored });
  const entries = organizationId === null ? [] : [consentEntry(organizationId)];
  if (resource === undefined) return [...scopes, ...entries];
  const own = tokenScopes({ scopes, resource, organizationId });
  return [...scopes.filter((scope) => !own.includes(scope)), ...entriesOf(resource, own), ...entries];
}

/** Only an app's own sign-in can create accounts. */
export function signUpIsOpen({ session, application }: { session: SignInSession; application: Application }): boolean {
  return session.purpose === "sign-in" && !conflictOf(session) && application.settings.signUp === "open";
}

/**
 * The digest for the code of a session that approves a device; no other code's digest looks like
 * it.
 */
export function deviceCodeDigest(device: string): string {
  return `device ${device}`;
}

/** The fields that are empty when a session begins. */
export const emptySession = {
  organizationId: null,
  state: null,
  authMethod: null,
  provider: null,
  scopes: [],
  codeChallenge: null,
  loginHint: null,
  locale: null,
  accountUserId: null,
  adds: null,
  addsProvider: null,
  inviteDigest: null,
  authorization: null,
  browserDigest: null,
  provenUserId: null,
  provenWith: null,
  provenProvider: null,
  provenAt: null,
  provenElsewhereAt: null,
  pendingLink: null,
  maxAge: null,
  acr: null,
  recoveryDigest: null,
  secondFactor: null,
  awaitsMail: null,
  userId: null,
  signedInWith: null,
  signedInProvider: null,
  signedInAt: null,
  proofs: null,
  ipAddress: null,
  userAgent: null,
  browserSessionDigest: null,
  knownBrowserDigest: null,
  organizationProofs: null,
  companyIdentity: null,
  codeDigest: null,
  codeExpiresAt: null,
  codeUsedAt: null,
  loginId: null,
} satisfies Partial<SignInSession>;

export const sessionLasts = 10 * minute;
export const codeLasts = 60 * second;
export const allScopes = ["profile", "email", "groups"] as const;

const sessionIdForm = /^sis_[A-Za-z0-9_-]{43}$/u;

/**
 * Whether a text has the form of a session id; anything else is refused without reading storage.
 */
export function isSessionId(text: string): boolean {
  return sessionIdForm.test(text);
}
