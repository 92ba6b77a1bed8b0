import type { ConsentAnswer } from "../../applications/clients/consents.ts";
import type { MethodAnswer } from "../../credentials/methods/method.ts";
import type { LoginAnswer } from "../../sessions/login-administration.ts";
import type { UserAnswer, UserDetailsAnswer } from "../../users/user-answer.ts";
import type { Screen } from "./screen.ts";
import { table } from "./table.ts";
import { facts } from "./text.ts";

/** `passkey, google, password` */
function userMethodsText({ passkey, oauth, password }: UserAnswer["authMethods"]): string {
  return [...(passkey ? ["passkey"] : []), ...oauth, ...(password ? ["password"] : [])].join(", ") || "none";
}

export function userTable(users: UserAnswer[], screen: Screen): string {
  const rows = users.map((user) => [
    user.id,
    user.email ?? "-",
    user.name ?? "-",
    userMethodsText(user.authMethods),
    user.lastLoginAt === null ? "never" : screen.time(user.lastLoginAt),
    user.disabledAt === null ? "active" : "disabled",
  ]);
  return table(["USER ID", "EMAIL", "NAME", "METHODS", "LAST SIGN-IN", "STATE"], rows, screen);
}

export function userFacts(user: UserAnswer, screen: Screen): [name: string, value: string][] {
  return [
    ["User ID", user.id],
    ["App ID", user.appId],
    ["Email", user.email === null ? "-" : `${user.email} (${user.emailVerified ? "verified" : "not verified"})`],
    ["Name", user.name ?? "-"],
    ["Methods", userMethodsText(user.authMethods)],
    ["Created", screen.moment(user.createdAt)],
    ["State", user.disabledAt === null ? "active" : `disabled since ${screen.moment(user.disabledAt)}`],
  ];
}

export function userText(user: UserDetailsAnswer, screen: Screen): string {
  const { loginCount, lastIpAddress, userAgent } = user.metadata;
  return facts([
    ...userFacts(user, screen),
    ["Last sign-in", user.lastLoginAt === null ? "never" : screen.moment(user.lastLoginAt)],
    ["Sign-ins", String(loginCount)],
    ["Last address", lastIpAddress ?? "-"],
    ["Last browser", userAgent ?? "-"],
    ...metadataFacts("Public metadata", user.publicMetadata),
    ...metadataFacts("Private metadata", user.privateMetadata),
  ]);
}

function metadataFacts(name: string, metadata: object | undefined): [name: string, value: string][] {
  return metadata === undefined ? [] : [[name, JSON.stringify(metadata)]];
}

/** One method per line, with its last use. */
export function methodLines(methods: MethodAnswer[], screen: Screen): string {
  return facts(
    methods.map(({ id, type, provider, name, email, lastUsed }) => [
      `  ${id}`,
      [provider ?? type, name, email, `last used ${lastUsed === null ? "never" : screen.time(lastUsed)}`]
        .filter(Boolean)
        .join(", "),
    ]),
  );
}

export function consentTable(consents: ConsentAnswer[], screen: Screen): string {
  const rows = consents.map(({ clientId, name, scopes, createdAt, updatedAt }) => [
    clientId,
    name,
    scopes.join(" "),
    screen.time(createdAt),
    screen.time(updatedAt),
  ]);
  return table(["CLIENT ID", "NAME", "SCOPES", "ALLOWED", "LAST CHANGE"], rows, screen);
}

export function loginTable(logins: LoginAnswer[], screen: Screen): string {
  const rows = logins.map((login) => [
    login.id,
    login.actor?.name ?? login.provider ?? login.signedInWith,
    screen.time(login.createdAt),
    screen.time(login.lastSeenAt),
    login.endedAt === null
      ? `ends ${screen.time(login.expiresAt)}`
      : `ended ${screen.time(login.endedAt)} (${login.endReason})`,
    login.ipAddress ?? "-",
  ]);
  return table(["LOGIN ID", "WITH", "STARTED", "LAST SEEN", "STATE", "ADDRESS"], rows, screen);
}
