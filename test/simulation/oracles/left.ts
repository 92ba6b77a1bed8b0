/** O9 and O5: the audit log and the receiver have what the acts left, no more and no less. */
import { entryLine, eventLine } from "../ledger.ts";
import { Violation } from "../model.ts";
import type { World } from "../world.ts";

/** Counted with logins (`records.ts`). */
const others = new Set(["user.logout", "user.login", "code.reuse", "token.reuse"]);
/** Of everybody. Others change with what people do themselves. */
const counted = new Set(["user.deleted"]);

export async function checkWhatIsLeft(world: World): Promise<void> {
  const actors = new Set(["cli:operator", `app:${world.app.id}`]);
  const { ledger, node, accounts, delivered } = world;
  const known = new Set(accounts.map(({ userId }) => userId));
  const counts = new Map<string, number>(ledger.lines.map((line) => [line, 0]));
  const count = (line: string): void => void counts.set(line, (counts.get(line) ?? 0) + 1);
  const { reader } = node.ctx.storage;
  const entries = await reader.db.select().from(reader.tables.auditEvents);
  for (const { actor, action, userId } of entries)
    if ((actors.has(actor) || actor.startsWith("operator:")) && !others.has(action))
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
}
