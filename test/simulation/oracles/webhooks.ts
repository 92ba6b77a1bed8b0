/** O5, O9 and O11: endpoints were told of everything, and the log says what was done to them. */
import { Violation } from "../model.ts";
import type { World } from "../world.ts";

export async function checkEndpoints({ endpoints, node }: World): Promise<void> {
  const { db, tables } = node.ctx.storage.reader;
  const known = new Map(endpoints.filter(({ isKnown }) => isKnown).map((each) => [each.id, each]));
  if (known.size === 0) return;
  for (const [id, endpoint] of known) {
    const problem = endpoint.problem();
    if (problem !== undefined) throw new Violation("O5", `${id} ${problem}`);
  }
  const counts = new Map<string, number>();
  for (const { action, details } of await db.select().from(tables.auditEvents)) {
    if (!action.startsWith("webhook.")) continue;
    const { endpointId, fields } = details;
    const named = typeof fields === "string" ? fields.split(",").toSorted() : [];
    const line = `${String(endpointId)} ${[action, ...named].join(" ")}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  for (const [id, { entries }] of known) {
    for (const [line, should] of entries) {
      const is = counts.get(`${id} ${line}`) ?? 0;
      if (is !== should) throw new Violation("O9", `${is} entries ${line} of ${id} instead of ${should}`);
      counts.delete(`${id} ${line}`);
    }
    const other = [...counts.keys()].find((line) => line.startsWith(`${id} `));
    if (other !== undefined) throw new Violation("O9", `an entry ${other}, which was not so`);
  }
  const rows = await db.select({ id: tables.webhookDeliveries.endpointId }).from(tables.webhookDeliveries);
  const stored = new Set(rows.map(({ id }) => id));
  for (const [id, { isDeleted }] of known)
    if (isDeleted && stored.has(id)) throw new Violation("O11", `deliveries of ${id}, which is deleted`);
}
