/** Organizations at the end: who is in them is what was acknowledged, and what the records say. */
import { eq } from "drizzle-orm";
import { Violation } from "../model.ts";
import type { KnownOrganization, State } from "../organizations.ts";
import type { World } from "../world.ts";

export async function checkOrganizations(world: World): Promise<void> {
  const { firms, node } = world;
  const { db, tables } = node.ctx.storage.reader;
  const entries = await db.select().from(tables.auditEvents).where(eq(tables.auditEvents.appId, firms.app.id));
  /** Of which each may be there once. */
  const answers = new Set<string>();
  for (const { action, details } of entries) {
    const answer =
      /^organization\.invitation\.(?:accept|refuse|withdraw)$/u.test(action) && String(details["invitation"]);
    if (answer !== false && answers.has(answer)) throw new Violation("O3", `${answer} has ended twice`);
    if (answer !== false) answers.add(answer);
  }
  const events = new Map(world.delivered.map(({ id, body }) => [id, body as Event]));
  for (const organization of firms.organizations)
    if (organization.id !== "") await checkOne(world, organization, entries, [...events.values()]);
}

type Entry = { action: string; target: string | null; userId: string | null };
type Event = { event: string; data: { userId: string | null; organizationId?: string | null } };

async function checkOne(
  world: World,
  organization: KnownOrganization,
  entries: readonly Entry[],
  events: readonly Event[],
): Promise<void> {
  const { id, name, state, isOwned, machine } = organization;
  const { db, tables } = world.node.ctx.storage.reader;
  const { organizations, organizationMembers, organizationMemberRoles, organizationInvitations, clients, users } =
    tables;
  const [row] = await db.select().from(organizations).where(eq(organizations.id, id));
  if (!row) throw new Violation("O4", `${name} is not stored`);
  const stored: State =
    row.deletedAt !== null
      ? "gone"
      : row.disabledAt !== null
        ? "off"
        : row.secondFactor === "required"
          ? "strict"
          : "on";
  world.mustBe(`the state of ${name}`, state, stored);
  const members = await db.select().from(organizationMembers).where(eq(organizationMembers.organizationId, id));
  const roles = await db.select().from(organizationMemberRoles).where(eq(organizationMemberRoles.organizationId, id));
  const wasNoted = (action: string): boolean =>
    entries.some((entry) => entry.action === `organization.${action}` && entry.target === id);
  if (stored === "gone") {
    const isTold = events.some(({ event, data }) => event === "organization.deleted" && data.organizationId === id);
    if (!wasNoted("delete") || !isTold) throw new Violation("O9", `nothing says that ${name} was deleted`);
    const invitations = await db
      .select()
      .from(organizationInvitations)
      .where(eq(organizationInvitations.organizationId, id));
    const left = await db.select().from(clients).where(eq(clients.id, machine.id));
    const count = members.length + roles.length + invitations.length + left.length;
    if (count > 0 || row.name !== "") throw new Violation("O11", `${count} rows and “${row.name}” are left of ${name}`);
    return;
  }
  let owners = 0;
  for (const employee of world.firms.employees) {
    const { userId = "", name: who } = employee;
    const has = roles
      .filter((each) => each.userId === userId)
      .map(({ role }) => role)
      .toSorted();
    world.mustBe(`what ${who} is in ${name}`, organization.rolesOf(employee), has.join(" "));
    const [user] = await db.select().from(users).where(eq(users.id, userId));
    if (has.includes("owner") && user?.disabledAt === null) owners += 1;
    const isMember = members.some((each) => each.userId === userId && each.leftAt === null);
    const of = (action: string): number =>
      entries.filter(
        (each) => each.action === `organization.member.${action}` && each.target === id && each.userId === userId,
      ).length;
    const [added, removed] = [of("add"), of("remove") + of("leave")];
    if (isMember !== has.length > 0 || added - removed !== Number(isMember))
      throw new Violation(
        "O9",
        `${who} is in ${name} with ${has.join(" ")}, ${added} times added, ${removed} times removed`,
      );
    const sent = (event: string): number =>
      events.filter(
        ({ event: each, data }) =>
          each === `organization.member.${event}` && data.organizationId === id && data.userId === userId,
      ).length;
    if (sent("added") !== added || sent("removed") !== removed || sent("updated") !== of("update"))
      throw new Violation("O5", `${who} in ${name}: other events than entries`);
  }
  const told = events.filter(({ event, data }) => event === "organization.ownerless" && data.organizationId === id);
  if (
    told.length !== entries.filter(({ action, target }) => action === "organization.ownerless" && target === id).length
  )
    throw new Violation("O5", `${name} without owners: other events than entries`);
  if (owners === 0 && !wasNoted("ownerless")) throw new Violation("O9", `no entry says that ${name} has no owner`);
  if (owners === 0 && isOwned.isOnly(true)) throw new Violation("O13", `${name} has lost its owners`);
}
