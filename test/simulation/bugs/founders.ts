/** Faults of organizations as a whole: who may change them, and what is told of it. */
import { alone, type Bug } from "../planted.ts";

const planted: readonly Bug[] = [
  {
    name: "log-of-other-applications",
    file: "records/audit/store.ts",
    replaced: "        appId === undefined ? undefined : is(events.appId, appId),\n",
    by: "",
    oracle: "O9",
  },
  {
    name: "provider-begins-without-an-entry",
    file: "companies/service.ts",
    replaced:
      "  await noteProvider(ctx, tx, organization, { action, row, changes: changesOf(active, next) }, acting, now);\n",
    by: "",
    oracle: "O9",
  },
  {
    name: "admin-adds-anybody",
    file: "organizations/members.ts",
    replaced: '    if (!member && rank !== "server") throw notAllowed();\n',
    by: "",
    oracle: "O8",
  },
  {
    name: "acceptance-leaves-nothing",
    file: "organizations/invitations.ts",
    replaced: '  await note(ctx, tx, organization, { action: "invitation.accept", userId, details }, acting, now);\n',
    by: "",
    oracle: "O9",
  },
  {
    name: "nobody-reads-of-an-owner",
    file: "organizations/members.ts",
    replaced: "  await ownersChanged(ctx, tx, organization, { added }, now);\n",
    by: "",
    oracle: "O10",
  },
  {
    name: "owner-who-is-disabled",
    file: "organizations/service.ts",
    replaced:
      '    if (user && user.disabledAt !== null) throw invalidRequest("owner", "a user who is not disabled");\n',
    by: "",
    oracle: "O8",
  },
  {
    name: "exemption-is-not-kept",
    file: "organizations/members.ts",
    replaced: "      await setExempt(ctx, tx, organization, { member: present, exempt, rank }, acting, now);\n",
    by: "      void setExempt;\n",
    oracle: "O4",
  },
  {
    name: "set-up-link-without-a-maker",
    file: "companies/setup-links.ts",
    replaced: "const makerId = acting.member?.userId ?? null;",
    by: "const makerId: string | null = null;",
    oracle: "O4",
  },
  {
    name: "demanded-before-it-was-used",
    file: "companies/service.ts",
    replaced: "  if (required) await requireUse(tx, active, rank, acting, now);\n",
    by: "",
    oracle: "O8",
  },
  {
    name: "added-again-is-not-confirmed",
    file: "organizations/domains/service.ts",
    replaced:
      "    if (setupLinkId === null && own.setupLinkId !== null) row = await confirm(ctx, tx, own, acting, now);\n",
    by: "",
    oracle: "O4",
  },
  {
    name: "owner-deletes-after-removing-another",
    file: "organizations/deletion.ts",
    replaced: "ownerRemovedAt > now - restsAfterRemoval",
    by: "ownerRemovedAt < now - restsAfterRemoval",
    oracle: "O8",
  },
  {
    name: "nobody-reads-of-a-missing-record",
    file: "organizations/domains/service.ts",
    replaced: '  if (isFirstMiss) await tellOwners("domain-missing", next);\n',
    by: "  void isFirstMiss;\n",
    oracle: "O10",
  },
  {
    name: "set-up-link-ends-twice",
    file: "companies/setup-links.ts",
    replaced: "    if (!link) throw organizationNotFound();\n",
    by: "",
    oracle: "O8",
  },
  {
    name: "set-up-link-of-what-is-disabled",
    file: "organizations/provider/setup-links.ts",
    replaced: "organization.deletedAt !== null || organization.disabledAt !== null",
    by: "organization.deletedAt !== null",
    oracle: "O1",
  },
  {
    name: "set-up-link-open-anywhere",
    file: "companies/setup-links.ts",
    replaced: "return browserDigest === browser && openUntil !== null",
    by: 'return browser !== "" && openUntil !== null',
    oracle: "O8",
  },
];

export const founderBugs: readonly Bug[] = planted.map((bug) => ({ ...bug, without: alone("founders") }));
