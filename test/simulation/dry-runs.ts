/** What a dry run of a command leaves: nothing, neither of the person nor of their organization. */
import type { Context } from "../../src/runtime/context.ts";
import { command } from "./command-line.ts";
import { wasRefused } from "./ledger.ts";
import type { Resident } from "./resident.ts";

const ofPeople = [
  "disable",
  "revoke-logins",
  "unblock",
  "require-new-password",
  "reset-link",
  "recovery-link",
  "tokens --end-all",
  "reset-factors",
  "delete",
  'metadata --public={"plan":"other"}',
  "update --unverified",
];
const ofOffices = ["update --second-factor=required --name=Other", "disable", "delete"];

/** Tables that workers and other actors write at the same time. */
const others = new Set([
  "auditEvents",
  "webhookDeliveries",
  "mails",
  "sentMails",
  "activityCounts",
  "rateLimitCounts",
  "userSearch",
]);

/** All rows that name it. */
async function rowsOf({ storage: { reader } }: Context, id: string): Promise<string[]> {
  const found: string[] = [];
  for (const [name, table] of Object.entries(reader.tables)) {
    if (others.has(name)) continue;
    const rows = (await reader.db.select().from(table as never)) as unknown[];
    found.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`).filter((row) => row.includes(id)));
  }
  return found.toSorted();
}

/** The first row about it that is another one after an act; undefined: all are as before. */
export async function changedBy(
  world: Resident["world"],
  id: string,
  act: () => Promise<unknown>,
): Promise<string | undefined> {
  const read = async (): Promise<string[]> => await world.operate(async (ctx) => await rowsOf(ctx, id));
  const before = await read();
  await act();
  const after = await read();
  world.reached("a dry run");
  const other = [...after.filter((row) => !before.includes(row)), ...before.filter((row) => !after.includes(row))];
  return other[0]?.slice(0, 300);
}

export async function unchanged(
  me: Resident,
  what: string,
  id: string,
  act: (ctx: Context) => Promise<unknown>,
): Promise<void> {
  const { world } = me;
  const other = await changedBy(world, id, async () => {
    await world.operate(async (ctx) => {
      await act(ctx).catch((error: unknown) => {
        if (!wasRefused(error)) throw error;
      });
    });
  });
  me.must("O4", other === undefined, `a dry run of ${what} changed ${other}`);
}

async function tryOne(me: Resident, group: string, id: string, acts: readonly string[]): Promise<void> {
  const [act = "", ...flags] = me.chances.pick(acts).split(" ");
  const args = [group, act, id, ...flags, "--dry-run"];
  const changed = await changedBy(me.world, id, async () => {
    const { code, notes } = await command(me.world, args);
    // Somebody without a password, or who waits, may be refused.
    me.must("O10", code === 0 || code === 4, `${args.join(" ")} ended with ${code}: ${notes}`);
  });
  me.must("O4", changed === undefined, `${args.join(" ")} changed ${changed}`);
}

/** O4: of the person. */
export async function tryDry(me: Resident): Promise<void> {
  await tryOne(me, "user", me.userId, ofPeople);
}

/** O4: of an organization. */
export async function tryDryAt(me: Resident, id: string): Promise<void> {
  await tryOne(
    me,
    "organization",
    id,
    ofOffices.map((act) => `${act} --app=${me.app.id}`),
  );
}
