/** O9 and O5: the log and the receiver have exactly what residents, guests and clerks left. */
import { Violation } from "../model.ts";
import type { World } from "../world.ts";

type Event = { event: string; data: { userId: string | null; authMethod: string | null } };

export async function checkResidents({ residents, node, delivered }: World): Promise<void> {
  const { db, tables } = node.ctx.storage.reader;
  const counts = new Map<string, number>();
  const count = (userId: string | null, line: string): void => {
    const key = `${userId} ${line}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  for (const { userId, action, details } of await db.select().from(tables.auditEvents)) {
    const method = /^(?:method|password)\./u.test(action) ? details["method"] : undefined;
    count(userId, `entry ${action}${typeof method === "string" ? ` ${method}` : ""}`);
  }
  for (const body of new Map(delivered.map(({ id, body }) => [id, body as Event])).values()) {
    const { event, data } = body;
    count(data.userId, `event ${event}${event.startsWith("method.") ? ` ${data.authMethod}` : ""}`);
  }
  // Those who live at one application count the same kinds.
  const lines = new Map<string, Set<string>>();
  for (const { app, left } of residents)
    for (const line of left.keys()) lines.set(app.id, (lines.get(app.id) ?? new Set()).add(line));
  for (const { name, app, userId, left, isUnsure, isGone } of residents) {
    if (userId === "" || isUnsure) continue;
    for (const line of lines.get(app.id) ?? []) {
      // Of somebody who is gone, only the id is sent.
      if (isGone && !line.includes("user.delete")) continue;
      const [is, should] = [counts.get(`${userId} ${line}`) ?? 0, left.get(line) ?? 0];
      if (is !== should)
        throw new Violation(
          line.startsWith("event") ? "O5" : "O9",
          `${name}: ${is} times “${line}” instead of ${should}`,
        );
    }
  }
}
