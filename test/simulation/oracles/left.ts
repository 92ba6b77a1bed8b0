/** O9 and O5: the audit log and the receiver have what the acts left, no more and no less. */
import { entryLine, eventLine } from "../ledger.ts";
import { Violation } from "../model.ts";
import type { World } from "../world.ts";

/** Counted with logins (`records.ts`), and of exports (`keeper-log.ts`). */
const others = new Set(["user.logout", "user.login", "code.reuse", "token.reuse", "audit.export", "audit.exported"]);
/** Of everybody. Others change with what people do themselves. */
const counted = new Set(["user.deleted"]);

export async function checkWhatIsLeft(world: World): Promise<void> {
  const actors = new Set(["cli:operator", `app:${world.app.id}`]);
  const { ledger, node, accounts, delivered, registry } = world;
  const known = new Set(accounts.map(({ userId }) => userId));
  const counts = new Map<string, number>(ledger.lines.map((line) => [line, 0]));
  const count = (line: string): void => void counts.set(line, (counts.get(line) ?? 0) + 1);
  const { reader } = node.ctx.storage;
  const entries = await reader.db.select().from(reader.tables.auditEvents);
  // Founders, keepers, the registrar and wardens compare all entries of theirs.
  const apart = new Set<string | null>([world.founders.id, world.keepers.id, ...registry.map(({ id }) => id)]);
  for (const { actor, action, userId, appId } of entries)
    if (
      !apart.has(appId) &&
      !world.wardens.has(actor) &&
      (actors.has(actor) || actor.startsWith("operator:")) &&
      !others.has(action)
    )
      count(entryLine(actor, action, userId ?? ""));
  const events = new Map(delivered.map(({ id, body }) => [id, body]));
  for (const body of events.values()) {
    const { event: type, data } = body as { event: string; data: { userId: string } };
    const { userId } = data;
    if (counted.has(type) || known.has(userId)) count(eventLine(type, userId));
  }
  for (const [line, found] of counts) {
    const problem = ledger.problemWith(line, found);
    if (problem !== undefined) throw new Violation(line.startsWith("event") ? "O5" : "O9", problem);
  }
  checkMethods(world, entries, [...events.values()] as Event[]);
}

type Entry = { action: string; userId: string | null; details: Record<string, unknown> };
type Event = { event: string; data: { userId: string; authMethod: string | null } };

/** A way to sign in that somebody added left an entry and an event. */
function checkMethods({ clubMembers }: World, entries: readonly Entry[], events: readonly Event[]): void {
  for (const { name, userId } of clubMembers)
    for (const method of ["passkey", "password", "oauth"]) {
      const ofEntries = entries.filter(
        ({ action, details, ...entry }) =>
          action === "method.added" &&
          entry.userId === userId &&
          details["method"] === method &&
          // The first one is a part of `user.created`.
          details["how"] !== "create",
      ).length;
      const ofEvents = events.filter(
        ({ event, data }) => event === "method.added" && data.userId === userId && data.authMethod === method,
      ).length;
      // A reset may give the first password, and has an entry of its own.
      const resets =
        method === "password"
          ? entries.filter((entry) => entry.action === "password.reset" && entry.userId === userId).length
          : 0;
      if (ofEntries > ofEvents || ofEvents > ofEntries + resets)
        throw new Violation(
          ofEntries < ofEvents ? "O9" : "O5",
          `${ofEntries} entries and ${ofEvents} events about a new ${method} of ${name}`,
        );
    }
}
