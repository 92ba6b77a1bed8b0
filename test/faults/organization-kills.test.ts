import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import * as clients from "../../src/applications/clients/service.ts";
import * as applications from "../../src/applications/service.ts";
import * as domains from "../../src/organizations/domains/service.ts";
import * as organizations from "../../src/organizations/service.ts";
import { openApp } from "../../src/process/app.ts";
import type { Context } from "../../src/runtime/context.ts";
import type { Handle } from "../../src/storage/storage.ts";
import * as users from "../../src/people/new-users.ts";
import { emptyFolder } from "../cli/command.ts";
import { call } from "../support/person.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { dialectsOfFaults, kill, startProcess } from "../support/process.ts";
import { testConfig } from "../support/service.ts";
import { reportExperiment } from "./experiment.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;
/** Two batches, with the owner. */
const members = 300;
/** Begun, machine gone, two batches, done; the first one is killed at any moment of the call. */
const steps = [0, 1, 2, 3, 4, 5];

/** PostgreSQL lets nobody write meanwhile. SQLite has no queue for that, so it is asked often. */
async function frozen<T>({ storage }: Context, work: (handle: Handle) => Promise<T>): Promise<T> {
  await nextTurn();
  if (storage.dialect === "sqlite") return await work(storage.reader);
  return await storage.write(async (tx) => {
    const db = tx.db as unknown as { execute(query: unknown): Promise<unknown> };
    await db.execute(sql`LOCK TABLE organizations, organization_members, clients IN SHARE MODE`);
    return await work(tx);
  });
}

async function partsOf({ db, tables }: Handle, id: string) {
  const count = async (table: typeof tables.organizationMembers) =>
    (await db.select({ id: table.organizationId }).from(table).where(eq(table.organizationId, id))).length;
  const [row] = await db.select().from(tables.organizations).where(eq(tables.organizations.id, id));
  if (!row) throw new Error("the row is gone");
  return {
    isBegun: row.deletedAt !== null,
    name: row.name,
    machines: await count(tables.clients as never),
    members: await count(tables.organizationMembers),
    roles: await count(tables.organizationMemberRoles as never),
    domains: await count(tables.organizationDomains as never),
    slugs: await count(tables.organizationSlugs as never),
  };
}
type Parts = Awaited<ReturnType<typeof partsOf>>;

/** How many of `steps` are done. */
function stepOf({ isBegun, machines, members, name }: Parts): number {
  return [isBegun, machines === 0, members <= 101, members === 0, name === ""].filter(Boolean).length;
}

async function fill(ctx: Context, appId: string, name: string): Promise<string> {
  const user = await users.create(
    ctx,
    { appId, email: `${name}@example.org`, emailVerified: true, password: undefined },
    { dryRun: false },
    by,
  );
  const { id } = await organizations.create(ctx, { id: appId }, { name, owner: user.id }, by);
  await clients.create(ctx, { appId, name, kind: "machine", organizationId: id }, {}, by);
  const row = await organizations.named(ctx.storage.reader, appId, id);
  await domains.add(ctx, row, { domain: `${name}.example`, isProved: true }, by);
  await ctx.storage.write(async ({ db, tables }) => {
    const [like] = await db.select().from(tables.users).where(eq(tables.users.id, user.id));
    if (!like) throw new Error("no user");
    const place = { organizationId: id, appId, createdAt: like.createdAt };
    for (let from = 0; from < members; from += 100) {
      const some = Array.from({ length: 100 }, (_, at) => ({
        ...like,
        id: `${like.id}${from + at}`,
        handle: randomBytes(32).toString("base64url"),
        email: `${name}${from + at}@example.org`,
      }));
      await db.insert(tables.users).values(some);
      await db
        .insert(tables.organizationMembers)
        .values(some.map((each) => ({ ...place, userId: each.id, joinedBy: "server" as const })));
      await db
        .insert(tables.organizationMemberRoles)
        .values(some.map((each) => ({ organizationId: id, appId, userId: each.id, role: "member" })));
    }
  });
  return id;
}

it.each(dialectsOfFaults)(
  "E1: a deletion of an organization that is killed in any step is finished later: %s",
  async (dialect) => {
    const data = emptyFolder();
    const url = dialect === "postgres" ? await createTestDatabase() : undefined;
    const masterKey = url === undefined ? undefined : randomBytes(32).toString("base64url");
    const env: Record<string, string> = {};
    if (url !== undefined) env["AUTHSVC_DATABASE__URL"] = url;
    if (masterKey !== undefined) env["AUTHSVC_MASTER_KEY"] = masterKey;
    const first = await startProcess(data, env);
    const { app } = first;
    const config = { ...testConfig, dataDir: data, masterKey, database: { url, poolSize: 2 } };
    const { ctx, sweep, close } = await openApp(config, { baseUrl: first.service.url });
    await applications.update(ctx, app.id, { settings: { organizations: "on" } }, by.actor);
    const kept = await fill(ctx, app.id, "kept");
    const before = await partsOf(ctx.storage.reader, kept);
    await kill(first.process);

    const lost: string[] = [];
    const killed: { id: string; step: number }[] = [];
    for (const step of steps) {
      const id = await fill(ctx, app.id, `acme${step}`);
      const { service, process } = await startProcess(data, env);
      const path = `/applications/${app.id}/organizations/${id}`;
      const answer = call(service, "DELETE", path, app.headers).then(
        ({ status }) => status,
        () => undefined,
      );
      const look = async (tx: Handle): Promise<boolean> => {
        if (stepOf(await partsOf(tx, id)) < step) return false;
        await kill(process);
        return true;
      };
      while (!(await frozen(ctx, look)));
      const status = await answer;
      const parts = await partsOf(ctx.storage.reader, id);
      killed.push({ id, step: stepOf(parts) });
      if (status !== undefined && parts.name !== "") lost.push(`step ${step}: answered ${status}, and is not deleted`);
      // Begun in one transaction: nobody finds it any more, and its domains are free.
      if (parts.isBegun !== (parts.domains === 0)) lost.push(`step ${step}: ${JSON.stringify(parts)}`);
      const found = await organizations.find(ctx.storage.reader, app.id, id);
      if ((found === undefined) !== parts.isBegun) lost.push(`step ${step}: ${found ? "is found" : "is gone"}`);
    }
    await sweep();
    for (const { id, step } of killed) {
      const parts = await partsOf(ctx.storage.reader, id);
      const { slugs, name, isBegun, ...rest } = parts;
      // One that had not begun is whole, and is as it was.
      const whole = { machines: 1, members: members + 1, roles: members + 1, domains: 1 };
      const none = { machines: 0, members: 0, roles: 0, domains: 0 };
      const expected =
        step === 0 ? { slugs: 1, isBegun: false, ...whole } : { slugs: 1, isBegun: true, name: "", ...none };
      expect({ step, slugs, isBegun, ...(step === 0 ? {} : { name }), ...rest }).toEqual({ step, ...expected });
    }
    expect(await partsOf(ctx.storage.reader, kept)).toEqual(before);
    await close();
    const after = killed.map(({ step }) => step).join(", ");
    reportExperiment(`kill -9 while an organization is deleted, after steps ${after} (${dialect})`, {
      rounds: steps.length,
      checks: 4 * steps.length,
      lost,
    });
  },
);
