/** Chosen from `src` without a look at what would find them; the oracles were named later. */
import { alone, type Bug } from "../planted.ts";

export const blindBugs: readonly Bug[] = [
  {
    // PKCE: whoever has a code omits the verifier.
    name: "blind-no-verifier",
    file: "sign-in/redemption/code-checks.ts",
    replaced: "return codeVerifier !== undefined && answersChallenge(codeVerifier, session.codeChallenge);",
    by: "return codeVerifier === undefined || answersChallenge(codeVerifier, session.codeChallenge);",
    oracle: "O3",
  },
  {
    // Each new browser guesses a password from zero.
    name: "blind-count-of-any-browser",
    file: "credentials/passwords/service.ts",
    replaced: "meeting.isKnown ? meeting.browser.digest : undefined",
    by: "meeting.browser.digest",
    oracle: "O7",
  },
  {
    // Who agreed to one scope has agreed to all.
    name: "blind-consent-to-one-scope",
    file: "applications/clients/consents.ts",
    replaced: "return scopes.some((scope) => !granted.scopes.includes(scope));",
    by: "return scopes.length > 0 && scopes.every((scope) => !granted.scopes.includes(scope));",
    oracle: "O1",
  },
  {
    // The wrong one of two digests: earlier logins of a browser do not end when it signs out.
    name: "blind-second-sign-in-cuts-tie",
    file: "sessions/browser-sessions.ts",
    replaced: "await moveBrowserSessionOn(tx, replaces, begun)",
    by: "await moveBrowserSessionOn(tx, digest, begun)",
    oracle: "O1",
  },
  {
    // Events about a deleted person keep the browser that they used.
    name: "blind-browser-of-the-deleted",
    file: "records/webhooks/delivery-store.ts",
    replaced: ".set({ email: null, ipAddress: null, userAgent: null, history: columns.history })",
    by: ".set({ email: null, ipAddress: null, history: columns.history })",
    oracle: "O11",
  },
  // The rest was drawn by a program from the conditions and awaited calls of six folders of `src`:
  // the first that break what docs/simulation.md says of an oracle.
  {
    name: "blind-added-method-leaves-no-entry",
    file: "sign-in/adding/adding.ts",
    replaced: '  await audit.record(ctx, tx, { actor, action, result: "success", ...about }, now);\n  if (changes) {',
    by: "  if (changes) {",
    oracle: "O9",
  },
  {
    // An application that is its own client revokes, and nothing ends.
    name: "blind-application-revokes-nothing",
    file: "openid/token-state.ts",
    replaced: "const clientId = client.id === application.id ? null : client.id;\n  const by",
    by: "const clientId = client.id;\n  const by",
    oracle: "O1",
  },
  {
    name: "blind-former-webhook-secret-signs",
    file: "records/webhooks/endpoint.ts",
    replaced: "encryptedOldSecret !== null && oldSecretUntil !== null && oldSecretUntil > now",
    by: "encryptedOldSecret !== null && oldSecretUntil !== null",
    oracle: "O1",
  },
  {
    name: "blind-linked-provider-leaves-no-event",
    file: "credentials/identities/linking.ts",
    replaced: '  await events.record(ctx, tx, { kind: "method.added", ...about }, now);\n',
    by: "",
    oracle: "O5",
  },
  // Chosen from `src` again: three found of five.
  {
    name: "blind-reuse-of-the-last-token",
    file: "sessions/rotation.ts",
    replaced: "if (presented.generation < login.generation) await",
    by: "if (presented.generation < login.generation - 1) await",
    oracle: "O1",
  },
  {
    // Who dies during an attempt keeps the event.
    name: "blind-lease-of-the-dead",
    file: "records/webhooks/delivery-store.ts",
    replaced: "or(isNull(deliveries.leaseUntil), lte(deliveries.leaseUntil, now), isOfTheFuture)",
    by: "or(isNull(deliveries.leaseUntil), lte(deliveries.leaseUntil, deliveries.nextAttemptAt), isOfTheFuture)",
    oracle: "O10",
  },
  {
    // Withdrawn, refused or replaced, its link still works.
    name: "blind-ended-invitation-opens",
    file: "organizations/invitations.ts",
    replaced: "return invitation.endedAt === null && invitation.expiresAt > now",
    by: 'return invitation.end !== "accepted" && invitation.expiresAt > now',
    oracle: "O3",
  },
  // Drawn by a program from eleven folders of `src`, once residents, guests and clerks were there:
  // two found of five.
  {
    name: "blind-replaced-invitation-stays-open",
    file: "organizations/invitations.ts",
    replaced: '  await endInvitations(tx, { organizationId, email }, "replaced", now);\n  await refuseTooMany',
    by: "  await refuseTooMany",
    oracle: "O10",
  },
  {
    name: "blind-audit-remembers-the-deleted",
    file: "people/profile.ts",
    replaced: "  await forgetAddressesInAudit(tx, [userId]);\n",
    by: "",
    oracle: "O11",
  },
  {
    // Found since each act is compared with what it must leave.
    name: "blind-removed-app-leaves-nothing",
    file: "factors/service.ts",
    replaced: '  await tellChange(ctx, tx, { user, by }, "removed", now);\n  return true;',
    by: "  return true;",
    oracle: "O9",
  },
  // Drawn again after that: two found of five, and two more since the world was extended.
  {
    name: "blind-removed-method-keeps-access",
    file: "credentials/methods/service.ts",
    replaced: '    await ends.endAccess(ctx, tx, userId, { reason: "method-removed", by, keep }, now);\n',
    by: "    void [ends, by, keep];\n",
    oracle: "O1",
  },
  {
    name: "blind-every-proof-is-an-invitation",
    file: "sign-in/adding/adding.ts",
    replaced: 'if (proof === "invite" && !(await invites.accept(',
    by: "if (!(await invites.accept(",
    oracle: "O10",
  },
  {
    name: "blind-ended-login-keeps-its-browser",
    file: "sessions/browser-session-store.ts",
    replaced: "  await prepared(tx).removeTied.execute({ tie });\n",
    by: "  void [tx, tie];\n",
    oracle: "O1",
  },
  {
    name: "blind-deleted-organization-leaves-nothing",
    file: "organizations/deletion.ts",
    replaced:
      '  await note(ctx, tx, organization, { action: "delete", event: "organization.deleted" }, acting, now);\n}',
    by: "}",
    oracle: "O9",
  },
  // Chosen once companies were there, from `src` alone.
  {
    // Refused while their owner is disabled; they work again once the owner is enabled.
    name: "blind-tokens-outlive-disabling",
    file: "sessions/login-ends.ts",
    replaced: '  "user-disabled",\n] as const satisfies EndReason[];',
    by: "] as const satisfies EndReason[];",
    oracle: "O1",
    without: alone("residents"),
  },
  // Chosen from src alone; missed until residents tried again what a later change had voided.
  {
    // Whoever reads the former mailbox sets the password with a link or code of before.
    name: "blind-reset-by-former-address",
    file: "credentials/mailed/password-reset.ts",
    replaced: 'if (used.email !== "" && used.email !== email) return false;',
    by: 'if (used.email !== "" && email === null) return false;',
    oracle: "O1",
    without: alone("residents"),
  },
  {
    // Earlier codes stay good after new ones were made, or the app was replaced.
    name: "blind-former-recovery-codes",
    file: "factors/store.ts",
    replaced: "  await deleteRecoveryCodes(tx, userId);\n",
    by: "  if (digests.length === 0) await deleteRecoveryCodes(tx, userId);\n",
    oracle: "O1",
    without: alone("residents"),
  },
  {
    // Nodes that know the groups of a live login never read them again.
    name: "blind-removed-member-keeps-group",
    file: "users/groups/service.ts",
    replaced: "    if (removed.length > 0) await countClaimsChange(tx, removed);\n",
    by: "",
    oracle: "O1",
    without: alone("residents"),
  },
  // Chosen once more, from `src` alone, after residents tried again what was voided.
  {
    // The address that a server or an operator gives somebody counts as proved by them.
    name: "blind-new-address-stays-verified",
    file: "people/changes.ts",
    replaced: "const verified = emailVerified ?? (isNew ? false : user.emailVerified);",
    by: "const verified = emailVerified ?? user.emailVerified;",
    oracle: "O4",
  },
  {
    // Servers that verify tokens themselves are not told of an admin, or of a role of the
    // application's own, that was taken away: its tokens keep the role there until they expire.
    name: "blind-taken-role-is-not-told",
    file: "organizations/members.ts",
    replaced: "if (before.some((role) => !roles.includes(role))) await tokensEnd(ctx, tx, organization, userId);",
    by: "if (losesOwner) await tokensEnd(ctx, tx, organization, userId);",
    oracle: "O1",
  },
  {
    // After too many wrong mailed codes, the right one still works, and so does guessing on.
    name: "blind-mailed-code-never-over",
    file: "credentials/mailed/service.ts",
    replaced: "const token = await ctx.storage.write((tx) => countCodeTry(tx, inSlot, ctx.clock()));",
    by: "const counted = await ctx.storage.write((tx) => countCodeTry(tx, inSlot, ctx.clock()));\n  const token = counted ?? (await waiting(ctx, ctx.storage.reader, inSlot));",
    oracle: "O7",
  },
  {
    // A sign-in that demands an organization lets the person take another, or none.
    name: "blind-demand-is-a-choice",
    file: "sign-in/organization-sign-in.ts",
    replaced: "if (organizationId !== (demandOf(session) ?? organizationId)) return undefined;",
    by: "if (organizationId === noOrganization && demandOf(session) !== null) return undefined;",
    oracle: "O12",
  },
  {
    // Somebody who is deleted stays invited, and a new account with the address may accept.
    name: "blind-invitations-of-the-deleted",
    file: "people/deletion-store.ts",
    replaced: "for (const mailed of [tables.organizationInvitations, tables.organizationSetupLinks])",
    by: "for (const mailed of [tables.organizationSetupLinks])",
    oracle: "O11",
  },
  {
    // An operator creates another application with the id of one that is gone.
    name: "blind-id-of-a-deleted-application",
    file: "applications/service.ts",
    replaced: "await ids.claimId(tx, application.id, application.createdAt, options);",
    by: "await ids.claimId(tx, application.id, application.createdAt, { mayReuseId: true, ...options });",
    oracle: "O3",
  },
  {
    // A reader of the feed that asks for no kinds is not told of lost rights of members.
    name: "blind-readers-without-kinds",
    file: "records/revocations/revocation.ts",
    replaced: "if (userId !== null) return { sub: userId, before };",
    by: "if (userId !== null && organization === null) return { sub: userId, before };",
    oracle: "O1",
  },
  {
    // What stands beside the token of an owner says that they are none.
    name: "blind-owner-beside-a-token",
    file: "organizations/claims.ts",
    replaced: "return { id, slug, name, roles };",
    by: 'return { id, slug, name, roles: roles.filter((role) => role !== "owner") };',
    oracle: "O12",
  },
  {
    name: "blind-slug-with-hyphen",
    file: "organizations/store.ts",
    replaced: String.raw`/^[\w-]{1,64}$/u`,
    by: String.raw`/^\w{1,64}$/u`,
    oracle: "O10",
    without: alone("founders"),
  },
  {
    name: "blind-id-token-answers-the-acr-that-was-asked",
    file: "tokens/id-tokens.ts",
    replaced: "values.includes(acr) && isAtLeast(reached, acr)",
    by: "values.includes(acr) && isAtLeast(acr, reached)",
    oracle: "O6",
    without: alone("merchants"),
  },
  {
    name: "blind-every-origin",
    file: "applications/browser-origins.ts",
    replaced: "originsOf(redirectUris).includes(origin)",
    by: "originsOf(redirectUris).every((own) => own === origin)",
    oracle: "O8",
  },
  // Drawn again: trust, times of providers, chains of addresses and browsers that sign out.
  {
    name: "blind-trust-is-always-enough",
    file: "sign-in/steps.ts",
    replaced: "if (isEnough(proven, asked)) return undefined;",
    by: "if (isEnough(proven, { ...asked, takesTrust: true })) return undefined;",
    oracle: "O8",
  },
  {
    name: "blind-id-token-is-fresh",
    file: "tokens/id-tokens.ts",
    replaced: "...authTimeOf(login),",
    by: "...authTimeOf({ ...login, provenElsewhereAt: null }),",
    oracle: "O6",
  },
  {
    name: "blind-return-mails-an-undo",
    file: "credentials/mailed/undo-links.ts",
    replaced: "slotOf(ctx, userId, newEmail)",
    by: "slotOf(ctx, userId, email ?? newEmail)",
    oracle: "O8",
  },
  {
    name: "blind-any-browsers-id-token-signs-out",
    file: "sessions/own-logins.ts",
    replaced: "login?.userId === userId && login.browserSessionDigest === tie",
    by: "login?.userId === userId || login?.browserSessionDigest === tie",
    oracle: "O8",
  },
];
