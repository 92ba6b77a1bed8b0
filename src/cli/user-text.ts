import type { MethodAnswer } from "../methods/method.ts";
import type { LoginAnswer } from "../tokens/login-administration.ts";
import type { UserAnswer, UserDetailsAnswer } from "../users/user-answer.ts";
import { facts, table } from "./text.ts";

/** `passkey, google, password` */
function userMethodsText({ passkey, oauth, password }: UserAnswer["authMethods"]): string {
  return [...(passkey ? ["passkey"] : []), ...oauth, ...(password ? ["password"] : [])].join(", ") || "none";
}

export function userTable(users: UserAnswer[], emphasise: (text: string) => string): string {
  const rows = users.map((user) => [
    user.id,
    user.email ?? "-",
    user.name ?? "-",
    userMethodsText(user.authMethods),
    user.lastLoginAt ?? "never",
    user.disabledAt === null ? "active" : "disabled",
  ]);
  return table(["USER ID", "EMAIL", "NAME", "METHODS", "LAST SIGN-IN", "STATE"], rows, emphasise);
}

export function userFacts(user: UserAnswer): [name: string, value: string][] {
  return [
    ["User ID", user.id],
    ["App ID", user.appId],
    ["Email", user.email === null ? "-" : `${user.email} (${user.emailVerified ? "verified" : "not verified"})`],
    ["Name", user.name ?? "-"],
    ["Methods", userMethodsText(user.authMethods)],
    ["Created", user.createdAt],
    ["State", user.disabledAt === null ? "active" : `disabled since ${user.disabledAt}`],
  ];
}

export function userText(user: UserDetailsAnswer): string {
  const { loginCount, lastIpAddress, userAgent } = user.metadata;
  return facts([
    ...userFacts(user),
    ["Last sign-in", user.lastLoginAt ?? "never"],
    ["Sign-ins", String(loginCount)],
    ["Last address", lastIpAddress ?? "-"],
    ["Last browser", userAgent ?? "-"],
  ]);
}

/** One method a line, as what it is and when it was used. */
export function methodLines(methods: MethodAnswer[]): string {
  return facts(
    methods.map(({ id, type, provider, name, email, lastUsed }) => [
      `  ${id}`,
      [provider ?? type, name, email, `last used ${lastUsed ?? "never"}`].filter(Boolean).join(", "),
    ]),
  );
}

export function loginTable(logins: LoginAnswer[], emphasise: (text: string) => string): string {
  const rows = logins.map((login) => [
    login.id,
    login.provider ?? login.signedInWith,
    login.createdAt,
    login.lastSeenAt,
    login.endedAt === null ? `until ${login.expiresAt}` : `ended ${login.endedAt} (${login.endReason})`,
    login.ipAddress ?? "-",
  ]);
  return table(["LOGIN ID", "WITH", "STARTED", "LAST SEEN", "STATE", "ADDRESS"], rows, emphasise);
}
