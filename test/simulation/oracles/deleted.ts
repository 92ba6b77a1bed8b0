/** O11: nothing of a deleted person is left where it should not be (docs/decisions/0014). */
import { Violation, type KnownPerson } from "../model.ts";
import type { World } from "../world.ts";

/** Where the id of somebody who is gone may stand: in the log, the feed, and what is to be sent. */
const mayNameThem = new Set([
  "auditEvents.actor",
  "auditEvents.userId",
  "revocations.userId",
  "webhookDeliveries.userId",
  "webhookDeliveries.history",
]);

/** `since`: when the deletion began. What somebody typed later is not a person's data. */
export async function checkNothingIsLeft(
  world: World,
  { name, userId = "", email }: Pick<KnownPerson, "name" | "userId" | "email">,
  since: number,
): Promise<void> {
  await world.operate(async ({ storage: { reader } }) => {
    for (const [tableName, table] of Object.entries(reader.tables)) {
      const rows = (await reader.db.select().from(table as never)) as Record<string, unknown>[];
      for (const row of rows) {
        for (const [column, value] of Object.entries(row)) {
          const place = `${tableName}.${column}`;
          const text = typeof value === "string" ? value : JSON.stringify(value);
          if (text.includes(userId) && !mayNameThem.has(place))
            throw new Violation("O11", `${place} has the id of ${name}, who is gone`);
          const isOlder = !(Number(row["createdAt"] ?? row["at"]) > since);
          if (isOlder && text.includes(email))
            throw new Violation("O11", `${place} has the address of ${name}, who is gone`);
        }
        const isEarlier = Number(row["at"] ?? row["occurredAt"]) <= since;
        for (const trait of ["ipAddress", "userAgent"])
          if (row["userId"] === userId && typeof row[trait] === "string" && isEarlier)
            throw new Violation("O11", `${tableName} has the ${trait} of ${name}, who is gone`);
      }
    }
  });
}

/** In the end, also what was written after a deletion about something before it. */
export async function checkNothingCameLater({ node, people, accounts }: World): Promise<void> {
  const { db, tables } = node.ctx.storage.reader;
  const entries = await db.select().from(tables.auditEvents);
  const gone = new Set(entries.flatMap(({ action, userId }) => (action === "user.delete" ? [userId] : [])));
  for (const { userId, ipAddress, action } of entries)
    if (userId !== null && gone.has(userId) && ipAddress !== null)
      throw new Violation("O11", `an entry ${action} of ${userId} has an address from which somebody came who is gone`);
  const addresses = [
    ...people.flatMap(({ isGone, email }) => (isGone ? [email] : [])),
    ...accounts.flatMap(({ exists, email }) => (exists.isOnly(false) ? [email] : [])),
  ];
  const deliveries = JSON.stringify(await db.select().from(tables.webhookDeliveries));
  for (const address of addresses)
    if (deliveries.includes(address))
      throw new Violation("O11", `a delivery has the address ${address} of somebody who is gone`);
}
