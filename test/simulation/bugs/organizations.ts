/** Faults of organizations: members, invitations, and what tokens say of them. */
import { alone, type Bug } from "../planted.ts";

const planted: readonly Bug[] = [
  {
    name: "membership-of-another-version",
    file: "organizations/recent.ts",
    replaced: "return found?.version === asked.version ? found.membership : read(ctx, asked);",
    by: "return found ? found.membership : read(ctx, asked);",
    oracle: "O1",
  },
  {
    name: "changes-of-organizations-are-read-late",
    file: "organizations/recent.ts",
    replaced: "const knownFor = second;",
    by: "const knownFor = 30 * second;",
    oracle: "O1",
  },
  {
    name: "refresh-goes-on-without-the-last-organization",
    file: "sessions/rotation.ts",
    replaced: 'return named === undefined ? "refused" : { missing: entered };',
    by: "return named === undefined ? undefined : { missing: entered };",
    oracle: "O12",
  },
  {
    name: "repeated-switch-is-not-kept",
    file: "sessions/rotation.ts",
    replaced: "if (!keepsOrganization(call) && organizationId !== login.organizationId)",
    by: "if (organizationId === undefined)",
    oracle: "O12",
  },
  {
    name: "demotion-is-not-in-the-feed",
    file: "organizations/members.ts",
    replaced: "if (before.some((role) => !roles.includes(role))) await",
    by: "if (before.every((role) => !roles.includes(role))) await",
    oracle: "O1",
  },
  {
    name: "last-owner-leaves",
    file: "organizations/members.ts",
    replaced: 'if (member.roles.includes("owner")) await refuseLastOwner',
    by: 'if (member.roles.includes("owner") && !leaves) await refuseLastOwner',
    oracle: "O13",
  },
  {
    name: "removal-keeps-an-invitation",
    file: "organizations/members.ts",
    replaced: 'if (user.email !== null) await endInvitations(tx, { organizationId, email: user.email }, "ended", now);',
    by: "",
    oracle: "O4",
  },
  {
    name: "invitation-of-a-member-stays-open",
    file: "organizations/invitations.ts",
    replaced: 'await endInvitations(tx, { organizationId, id: invitation.id }, "accepted", now);',
    by: 'if (!member) await endInvitations(tx, { organizationId, id: invitation.id }, "accepted", now);',
    oracle: "O3",
  },
  {
    name: "owner-named-by-the-server-is-an-owner",
    file: "organizations/rights.ts",
    replaced: 'return rank === "owner" && (member.throughServer || member.isNew === true) ? "admin" : rank;',
    by: 'return rank === "owner" && member.isNew === true ? "admin" : rank;',
    oracle: "O8",
  },
  {
    name: "nobody-says-that-an-owner-was-disabled",
    file: "organizations/members.ts",
    replaced: "for (const organization of owned) await noteOwnerless(ctx, tx, organization, by, now);",
    by: "void [ctx, tx, owned, by, now];",
    oracle: "O9",
  },
  {
    name: "nobody-says-that-the-last-owner-was-removed",
    file: "organizations/members.ts",
    replaced: "if (member.disabledAt === null) await noteOwnerless(ctx, tx, organization, acting, now);",
    by: "",
    oracle: "O9",
  },
  {
    name: "machine-outlives-its-organization",
    file: "organizations/gate.ts",
    replaced: "(await findNamed(handle, application.id, organizationId))?.disabledAt === null",
    by: "(await findNamed(handle, application.id, organizationId)) !== undefined",
    oracle: "O1",
  },
];

export const organizationBugs = planted.map((bug): Bug => ({ ...bug, without: alone("organizations") }));
