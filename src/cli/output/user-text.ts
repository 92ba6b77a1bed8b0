import type { NamedIdentity } from "../../companies/identities.ts";
import type { MethodAnswer } from "../../credentials/methods/method.ts";
import { factsOn, profileFacts } from "../../lib/profile-facts.ts";
import type { UserAnswer, UserDetailsAnswer } from "../../users/user-answer.ts";
import type { Screen } from "./screen.ts";
import { facts } from "./text.ts";

/** `passkey, google, password` */
export function userMethodsText({ passkey, oauth, password }: UserAnswer["authMethods"]): string {
  return [...(passkey ? ["passkey"] : []), ...oauth, ...(password ? ["password"] : [])].join(", ") || "none";
}

const shown = factsOn("server").filter((fact) => profileFacts[fact].flag.inText);

export function userFacts(user: UserAnswer, screen: Screen): [name: string, value: string][] {
  return [
    ["User ID", user.id],
    ["App ID", user.appId],
    ["Email", user.email === null ? "-" : `${user.email} (${user.emailVerified ? "verified" : "not verified"})`],
    ...shown.map((fact): [string, string] => [profileFacts[fact].label, user[fact] ?? "-"]),
    ["Methods", userMethodsText(user.authMethods)],
    ["Created", screen.moment(user.createdAt)],
    ["State", stateText(user, screen)],
  ];
}

function stateText({ disabledAt, state, emailVerified }: UserAnswer, screen: Screen): string {
  if (disabledAt === null) return "active";
  const apart = state === "pending" && !emailVerified ? ", with an unproved address" : "";
  return `${state ?? "disabled"} since ${screen.moment(disabledAt)}${apart}`;
}

export function userText(user: UserDetailsAnswer, screen: Screen): string {
  const { loginCount, lastIpAddress, userAgent } = user.metadata;
  return facts([
    ...userFacts(user, screen),
    ...(user.refusedBefore === true ? [["Refused before", "in the last 90 days"] as [string, string]] : []),
    ["Last sign-in", user.lastLoginAt === null ? "never" : screen.moment(user.lastLoginAt)],
    ["Sign-ins", String(loginCount)],
    ...(user.passwordMustChange ? [["Password", "must change"] as [string, string]] : []),
    ["Last address", lastIpAddress ?? "-"],
    ["Last browser", userAgent ?? "-"],
    ...Object.entries(user.profile ?? {}).map(([name, value]): [string, string] => [`Field ${name}`, String(value)]),
    ...(user.terms ?? []).map(({ version, accepted, at }): [string, string] => [
      "Terms",
      `${version} ${accepted ? "accepted" : "declined"} ${screen.moment(at)}`,
    ]),
    ...metadataFacts("Public metadata", user.publicMetadata),
    ...metadataFacts("Private metadata", user.privateMetadata),
  ]);
}

function metadataFacts(name: string, metadata: object | undefined): [name: string, value: string][] {
  return metadata === undefined ? [] : [[name, JSON.stringify(metadata)]];
}

type ShownMethod = { id: string; type: string; provider?: string; name?: string; email?: string | null } & Pick<
  MethodAnswer,
  "lastUsed"
>;

/** Who the user is at organizations' providers: one per line, with its last use. */
export function identityLines(identities: NamedIdentity[], screen: Screen): string {
  return facts(
    identities.map(({ organization, issuer, email, lastUsedAt }) => [
      `  ${organization}`,
      [issuer, email, `last used ${lastUsedAt === null ? "never" : screen.time(lastUsedAt)}`]
        .filter(Boolean)
        .join(", "),
    ]),
  );
}

/** One method per line, with its last use. */
export function methodLines(methods: MethodAnswer[], screen: Screen): string {
  return facts(
    methods.map(({ id, type, provider, name, email, lastUsed }: ShownMethod) => [
      `  ${id}`,
      [provider ?? type, name, email, `last used ${lastUsed === null ? "never" : screen.time(lastUsed)}`]
        .filter(Boolean)
        .join(", "),
    ]),
  );
}
