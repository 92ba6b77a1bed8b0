/** Faults of what residents, guests and clerks have; one actor alone finds each. */
import { alone, type Bug } from "../planted.ts";

const ofResidents: Omit<Bug, "without">[] = [
  {
    name: "wrong-codes-never-wait",
    file: "factors/service.ts",
    replaced: "    if (refusal) return refusal;\n    const failures",
    by: "    const failures",
    oracle: "O7",
  },
  {
    name: "new-address-stays-verified",
    file: "people/changes.ts",
    replaced: "emailVerified ?? (isNew ? false : user.emailVerified)",
    by: "emailVerified ?? user.emailVerified",
    oracle: "O4",
  },
  {
    name: "new-address-keeps-links",
    file: "people/changes.ts",
    replaced: "    await emailTokens.endAll(tx, userId, { keepUndosBefore: 0 });\n",
    by: "    void emailTokens;\n",
    oracle: "O1",
  },
  {
    name: "undo-for-an-unproven-address",
    file: "credentials/mailed/undo-links.ts",
    replaced: "if (email === null || !user.emailVerified) return false;",
    by: "if (email === null) return false;",
    oracle: "O8",
  },
  {
    name: "undo-keeps-access",
    file: "credentials/mailed/address-undo.ts",
    replaced: "const endedLogins = await ends.endAccess(ctx, tx, userId, end, now);",
    by: "const endedLogins = 0; void [ends, end];",
    oracle: "O1",
  },
  {
    name: "recovery-keeps-half-done-sign-ins",
    file: "factors/service.ts",
    replaced: "  await ends.endFactors(tx, user.id, { ...keeps, falls: true }, now);\n",
    by: "",
    oracle: "O1",
  },
  {
    name: "cookie-of-another-host",
    file: "forward-auth/store.ts",
    replaced: "if (found?.[1] !== host || found[2] !== clientId) return undefined;",
    by: "if (!found || found[2] !== clientId) return undefined;",
    oracle: "O8",
  },
  {
    name: "login-at-a-host-goes-on",
    file: "forward-auth/store.ts",
    replaced:
      "          isNull(logins.endedAt),\n          isNull(logins.userDisabledAt),\n          gt(logins.expiresAt, now),\n        ),\n      ),\n  );\n  const groupNames",
    by: "          isNull(logins.userDisabledAt),\n          gt(logins.expiresAt, now),\n        ),\n      ),\n  );\n  const groupNames",
    oracle: "O1",
  },
  {
    name: "no-app-keeps-personal-tokens",
    file: "factors/service.ts",
    replaced: "  if (known.encryptedSecret !== null)\n    await personalTokens.end(",
    by: "  if (known.encryptedSecret === null)\n    await personalTokens.end(",
    oracle: "O1",
  },
  {
    name: "anybody-ends-a-personal-token",
    file: "credentials/personal/store.ts",
    replaced: "return and(eq(tokens.userId, which.userId), isLive(handle, now), isThis);",
    by: "return and(isThis ?? eq(tokens.userId, which.userId), isLive(handle, now));",
    oracle: "O8",
  },
  {
    // A token that was made after two factors opens its hosts although its owner left their groups.
    name: "blind-two-factors-open-any-host",
    file: "forward-auth/token.ts",
    replaced: "  if (!admitsGroups(host, groups)) return false;\n  if (hasTwo) return true;\n",
    by: "  if (hasTwo) return true;\n  if (!admitsGroups(host, groups)) return false;\n",
    oracle: "O1",
  },
  {
    name: "token-of-one-factor-at-a-host-of-two",
    file: "forward-auth/token.ts",
    replaced: "return state?.isRequired === false && !(await recentApplications.asksFactor(ctx, host.appId));",
    by: "return state !== undefined;",
    oracle: "O6",
  },
  {
    name: "assertion-of-other-groups",
    file: "forward-auth/assertion.ts",
    replaced: "claimsVersion, email, emailVerified, acr, groups]);",
    by: "email, emailVerified, acr]); void claimsVersion;",
    oracle: "O6",
  },
  {
    name: "program-is-told-of-an-unproven-address",
    file: "forward-auth/headers.ts",
    replaced: "return person.emailVerified ? person.email : null;",
    by: "return person.email;",
    oracle: "O6",
  },
  {
    name: "group-of-two-factors-takes-one",
    file: "forward-auth/store.ts",
    replaced: "CASE WHEN groups.second_factor = 'required'",
    by: "CASE WHEN groups.second_factor = 'never'",
    oracle: "O6",
  },
];

const ofGuests: Omit<Bug, "without">[] = [
  {
    name: "server-lets-in-who-waits",
    file: "people/changes.ts",
    replaced: "if (checked.disabled !== undefined && isPending(before)) throw waitsForApproval();",
    by: "void [isPending, waitsForApproval];",
    oracle: "O8",
  },
  {
    name: "terms-of-before-are-enough",
    file: "users/terms-store.ts",
    replaced: ".where(and(eq(answers.userId, row.userId), eq(answers.version, row.version))),",
    by: ".where(and(eq(answers.userId, row.userId))),",
    oracle: "O8",
  },
  {
    name: "declined-terms-are-an-answer",
    file: "users/terms.ts",
    replaced: "return answer === undefined || (required && !answer.accepted);",
    by: "return answer === undefined;",
    oracle: "O8",
  },
  {
    name: "no-profile-is-asked-for",
    file: "users/waiting-steps.ts",
    replaced: "return asked.some(({ required }) => required || !onlyRequired)",
    by: "return asked.some(({ required }) => !required && !onlyRequired)",
    oracle: "O8",
  },
  {
    name: "one-login-too-many",
    file: "sessions/login-maxima.ts",
    replaced: "taken.has(place) || taken.size < ofApplication",
    by: "taken.has(place) || taken.size <= ofApplication",
    oracle: "O7",
  },
  {
    name: "password-that-must-change-signs-in",
    file: "sign-in/steps.ts",
    replaced: 'if (mustChange) return isTrusted ? "second-factor" : "new-password";',
    by: 'if (mustChange && isTrusted) return "second-factor";',
    oracle: "O8",
  },
  {
    name: "refused-address-by-a-change",
    file: "people/changes.ts",
    replaced: "    if (altered.email) await signUpRules.refuseAddress(ctx, tx, before.appId, altered.email);\n",
    by: "    void signUpRules;\n",
    oracle: "O8",
  },
];

const ofOffices: Omit<Bug, "without">[] = [
  {
    name: "no-organization-is-enough",
    file: "sign-in/organization-choice.ts",
    replaced: "if (!only) return isRequired || isInvited ||",
    by: "if (!only) return isInvited ||",
    oracle: "O8",
  },
  {
    name: "unproven-address-joins-by-its-domain",
    file: "organizations/domains/joining.ts",
    replaced: "if (email === null || !user.emailVerified || user.disabledAt",
    by: "if (email === null || user.disabledAt",
    oracle: "O8",
  },
  {
    name: "domain-that-was-removed-admits",
    file: "organizations/domains/service.ts",
    replaced: "    await end(ctx, tx, row, acting, now);\n    if (acting.dryRun)",
    by: "    void row;\n    if (acting.dryRun)",
    oracle: "O8",
  },
  {
    name: "newcomer-is-not-verified",
    file: "sign-in/sign-up/invited-newcomer.ts",
    replaced: "emailVerified: true, signedUp",
    by: "emailVerified: false, signedUp",
    oracle: "O10",
  },
  {
    name: "organization-without-its-second-factor",
    file: "organizations/gate.ts",
    replaced: 'return membership?.secondFactor === "required";',
    by: 'return membership?.secondFactor === "optional";',
    oracle: "O6",
  },
];

export const residentBugs: readonly Bug[] = [
  ...ofResidents.map((bug) => ({ ...bug, without: alone("residents") })),
  ...ofGuests.map((bug) => ({ ...bug, without: alone("guests") })),
  ...ofOffices.map((bug) => ({ ...bug, without: alone("offices") })),
];
