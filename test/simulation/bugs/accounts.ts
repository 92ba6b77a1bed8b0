/** Faults of people and their ways to sign in; one actor alone finds each. */
import { alone, type Bug } from "../planted.ts";

const ofStudents: Omit<Bug, "without">[] = [
  {
    name: "reset-proves-no-address",
    file: "credentials/mailed/password-reset.ts",
    replaced: "      await users.verifyEmail(ctx, tx, user, used.email, source, now);\n",
    by: "      void users;\n",
    oracle: "O4",
  },
  {
    name: "refuted-address-signs-up",
    file: "credentials/identities/identity.ts",
    replaced: 'refuted: source === "discord" && user["verified"] === false,',
    by: "refuted: false,",
    oracle: "O8",
  },
  {
    name: "last-method-can-go",
    file: "credentials/methods/method.ts",
    replaced: ": left.length > 0;",
    by: ": left.length >= 0;",
    oracle: "O8",
  },
];

const ofRegistrar: Omit<Bug, "without">[] = [
  {
    name: "ended-logins-leave-no-entry",
    file: "people/administration.ts",
    replaced:
      '    await audit.record(ctx, tx, { ...by, action: "user.revoke-logins", result: "success", ...about }, now);\n',
    by: "    void [audit, about];\n",
    oracle: "O9",
  },
  {
    name: "cursor-of-another-search",
    file: "people/search.ts",
    replaced: "if (digest !== digestOfSearch(search))",
    by: "if (digest === undefined && digestOfSearch(search))",
    oracle: "O8",
  },
  {
    name: "disabled-people-wait",
    file: "people/waiting-store.ts",
    replaced: "eq(users.appId, appId), isNull(users.disabledAt), isUnproved",
    by: "eq(users.appId, appId), isUnproved",
    oracle: "O4",
  },
  {
    name: "import-without-recovery-codes",
    file: "people/import.ts",
    replaced: "recoveryDigests: line.recoveryDigests ?? []",
    by: "recoveryDigests: []",
    oracle: "O4",
  },
];

export const accountBugs: readonly Bug[] = [
  ...ofStudents.map((bug) => ({ ...bug, without: alone("students") })),
  ...ofRegistrar.map((bug) => ({ ...bug, without: alone("registrar") })),
];
