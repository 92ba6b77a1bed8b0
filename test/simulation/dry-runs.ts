/** What a dry run of a command leaves: nothing, neither of the person nor of their organization. */
import * as methods from "../../src/credentials/methods/service.ts";
import * as recoveryLinks from "../../src/credentials/mailed/recovery-links.ts";
import * as resetLinks from "../../src/credentials/mailed/reset-links.ts";
import * as personalTokens from "../../src/credentials/personal/service.ts";
import * as factors from "../../src/factors/service.ts";
import * as deletion from "../../src/organizations/deletion.ts";
import * as organizations from "../../src/organizations/service.ts";
import { findOrganization } from "../../src/organizations/store.ts";
import * as people from "../../src/people/administration.ts";
import * as required from "../../src/people/required-passwords.ts";
import type { Context } from "../../src/runtime/context.ts";
import * as logins from "../../src/sessions/login-administration.ts";
import { wasRefused } from "./ledger.ts";
import type { Resident } from "./resident.ts";

const by = { actor: { kind: "cli", name: "dry" } } as const;
const dry = { dryRun: true };

type Command = (ctx: Context, me: Resident) => Promise<unknown>;

const commands: Record<string, Command> = {
  address: async (ctx, me) => await people.update(ctx, me.userId, { email: me.nextEmail() }, dry, by),
  disable: async (ctx, { userId }) => await people.disable(ctx, userId, dry, by),
  revoke: async (ctx, { userId }) => await people.revokeLogins(ctx, userId, dry, by),
  unblock: async (ctx, { userId }) => await people.unblock(ctx, userId, { ...dry, factor: true }, by),
  "new password": async (ctx, { userId }) => await required.requireOf(ctx, userId, dry, by),
  "reset link": async (ctx, { userId }) => await resetLinks.linkFor(ctx, userId, { ...dry, send: false }, by.actor),
  "recovery link": async (ctx, { userId }) =>
    await recoveryLinks.linkFor(ctx, userId, { ...dry, lasts: 60_000 }, by.actor),
  tokens: async (ctx, { userId }) => await personalTokens.end(ctx, { userId }, { reason: "operator", by }, dry),
  app: async (ctx, { userId }) => await factors.remove(ctx, userId, by, dry),
  method: async (ctx, { userId }) => {
    const [one] = await methods.list(ctx.storage.reader, userId);
    if (one) await methods.remove(ctx, userId, one.id, by, { ...dry, evenLast: true });
  },
  login: async (ctx, { userId }) => {
    const [one] = await logins.list(ctx, userId, { all: false });
    if (one) await logins.end(ctx, one.id, dry, by.actor);
  },
};

const ofOffices: Record<string, (ctx: Context, id: string) => Promise<unknown>> = {
  organization: async (ctx, id) => {
    const row = await findOrganization(ctx.storage.reader, id);
    if (row) await organizations.update(ctx, row, { secondFactor: "required" }, { ...by, ...dry });
  },
  deletion: async (ctx, id) => {
    const row = await findOrganization(ctx.storage.reader, id);
    if (row) await deletion.remove(ctx, row, { ...by, ...dry });
  },
};

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

/** O4: of the person. */
export async function tryDry(me: Resident): Promise<void> {
  const [name, command] = me.chances.pick(Object.entries(commands));
  await unchanged(me, name, me.userId, async (ctx) => await command(ctx, me));
}

/** O4: of an organization. */
export async function tryDryAt(me: Resident, id: string): Promise<void> {
  const [name, command] = me.chances.pick(Object.entries(ofOffices));
  await unchanged(me, name, id, async (ctx) => await command(ctx, id));
}
