import { join } from "node:path";
import Database from "better-sqlite3";
import { asc } from "drizzle-orm";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import * as applications from "../../../src/applications/service.ts";
import { stateFileText, readStateFile } from "../../../src/upkeep/desired-state/state-file.ts";
import type { DesiredState } from "../../../src/upkeep/desired-state/state-schema.ts";
import type { Change } from "../../../src/upkeep/desired-state/difference.ts";
import * as desiredStates from "../../../src/upkeep/desired-state/service.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import type { Handle } from "../../../src/storage/storage.ts";
import * as userImport from "../../../src/people/import.ts";
import { runSql } from "../../cli/sql.ts";
import { call, newEmail, signUp } from "../../support/person.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";
import { createEndpoint, happen } from "../../support/webhooks.ts";

const actor = { kind: "cli", name: "test" } as const;
const apiKey = "pipeline-key.0123456789-ABCDEFGHIJ";

/** One application with one of everything; ids by `tag`, because the tests share a database. */
function shop(tag: string): DesiredState & { applications: object[] } {
  return {
    version: 1,
    applications: [
      {
        id: `shop_${tag}`,
        name: "My shop",
        redirectUris: ["https://shop.example/cb"],
        authMethods: { passkey: { enabled: true, required: true }, password: { enabled: true } },
        branding: { primaryColor: "#336699" },
        emailCode: true,
        passwordMinLength: 12,
        rateLimits: { authentication: 50 },
        apiKeys: [{ value: `${apiKey}${tag}` }],
        providers: [
          { name: "github", clientId: "Iv1", clientSecret: "github secret" },
          { name: "corp", clientId: "shop", clientSecret: "corp secret", issuer: "https://id.corp.example" },
        ],
        webhooks: [
          { id: `whe_${tag}`, url: "https://shop.example/hook", events: ["user.login"], secret: "0123456789abcdef" },
        ],
      },
    ],
  };
}

const only = (...applications: NonNullable<DesiredState["applications"]>): DesiredState => ({
  version: 1,
  applications,
});

function statesOf(service: TestService) {
  const { ctx } = service.server.app;
  const plan = async (state: DesiredState, options: Parameters<typeof desiredStates.plan>[2]) =>
    await desiredStates.plan(ctx, state, options);
  const desired = async (state: DesiredState, options: Parameters<typeof desiredStates.apply>[2]) =>
    await desiredStates.apply(ctx, state, options);
  const apply = async (desired: DesiredState, prune = false) => {
    const planned = await desiredStates.plan(ctx, desired, { prune, actor });
    return { planned, changes: await desiredStates.apply(ctx, desired, { prune, actor, planned }) };
  };
  return { apply, plan, desired };
}

async function rows(service: TestService): Promise<unknown> {
  const { db, tables } = service.server.app.ctx.storage.reader;
  return {
    applications: await db.select().from(tables.applications),
    keys: await db
      .select({ id: tables.apiKeys.id, appId: tables.apiKeys.appId, keyDigest: tables.apiKeys.keyDigest })
      .from(tables.apiKeys)
      .orderBy(asc(tables.apiKeys.id)),
    providers: await db.select().from(tables.oauthProviders),
    groups: await db.select().from(tables.groups),
    webhooks: await db.select().from(tables.webhookEndpoints),
    audit: await db.select({ id: tables.auditEvents.id }).from(tables.auditEvents),
  };
}

describeSqliteFirst("a desired state", (current) => {
  it("is planned without a trace, applied exactly so, and then finds nothing to do", async () => {
    const service = current();
    const states = statesOf(service);
    const before = await rows(service);
    const planned = await states.plan(shop("a"), { prune: false, actor });
    expect(await rows(service)).toEqual(before);
    expect(planned.map(({ action, kind, name }) => [action, kind, name ?? null])).toEqual([
      ["create", "application", null],
      ["create", "apiKey", null],
      ["create", "provider", "corp"],
      ["create", "provider", "github"],
      ["create", "webhook", "whe_a"],
    ]);
    expect(JSON.stringify(planned)).not.toMatch(/github secret|0123456789abcdef|pipeline-key/);
    const { changes } = await states.apply(shop("a"));
    expect(changes).toEqual(planned);
    const applied = await rows(service);
    expect((await states.apply(shop("a"))).changes).toEqual([]);
    expect({ ...((await rows(service)) as object), applications: null }).toEqual({
      ...(applied as object),
      applications: null,
    });
    const text = await service.databaseText();
    for (const secret of ["github secret", "corp secret", "0123456789abcdef", `${apiKey}a`])
      expect(text).not.toContain(secret);
  });

  it("is obeyed by the running service at once", async () => {
    const service = current();
    await statesOf(service).apply(shop("b"));
    const headers = { authorization: `Bearer ${apiKey}b`, "x-service-app-id": "shop_b" };
    const redirectUri = "https://shop.example/cb";
    const initiate = async () => (await call(service, "POST", "/auth/initiate", headers, { redirectUri })).status;
    expect(await initiate()).toBe(200);
    await statesOf(service).apply({
      version: 1,
      applications: [{ id: "shop_b", redirectUris: ["https://shop.example/new"] }],
    });
    expect(await initiate()).toBe(400);
  });

  it("changes what it says and leaves what it does not say", async () => {
    const service = current();
    const states = statesOf(service);
    await states.apply(shop("c"));
    const desired = only({
      id: "shop_c",
      name: "Our shop",
      authMethods: { passkey: { required: false } },
      branding: { primaryColor: null, homeUrl: "http://localhost:3000/" },
      providers: [{ name: "GitHub", clientId: "Iv2" }],
      webhooks: [{ id: "whe_c", url: "https://shop.example/hook", events: ["user.logout"], enabled: false }],
    });
    const { changes } = await states.apply(desired);
    expect(changes).toEqual([
      {
        action: "update",
        kind: "application",
        application: "shop_c",
        fields: [
          { field: "name", before: "My shop", after: "Our shop" },
          { field: "authMethods.passkey.required", before: true, after: false },
          { field: "branding.primaryColor", before: "#336699", after: null },
          { field: "branding.homeUrl", before: null, after: "http://localhost:3000/" },
        ],
      },
      {
        action: "update",
        kind: "provider",
        application: "shop_c",
        name: "github",
        fields: [{ field: "clientId", before: "Iv1", after: "Iv2" }],
      },
      {
        action: "update",
        kind: "webhook",
        application: "shop_c",
        name: "whe_c",
        fields: [
          { field: "events", before: ["user.login"], after: ["user.logout"] },
          { field: "enabled", before: true, after: false },
        ],
      },
    ]);
    const { ctx } = service.server.app;
    const secrets = (await providers.settings(ctx, "shop_c")).map(({ name, secret }) => [name, secret()]);
    expect(Object.fromEntries(secrets)).toEqual({ github: "github secret", corp: "corp secret" });
    expect(await webhooks.secret(ctx, "whe_c")).toBe("0123456789abcdef");
  });

  it("says that a secret changes, and sets it", async () => {
    const service = current();
    const states = statesOf(service);
    await states.apply(shop("d"));
    const desired = only({
      id: "shop_d",
      providers: [{ name: "github", clientId: "Iv1", clientSecret: "another secret" }],
      webhooks: [
        { id: "whe_d", url: "https://shop.example/hook", events: ["user.login"], secret: "another 0123456789" },
      ],
    });
    const { changes } = await states.apply(desired);
    expect(changes.map(({ kind, fields }) => [kind, fields])).toEqual([
      ["provider", [{ field: "clientSecret", secret: true }]],
      ["webhook", [{ field: "secret", secret: true }]],
    ]);
    expect((await states.apply(desired)).changes).toEqual([]);
    expect(await webhooks.secret(service.server.app.ctx, "whe_d")).toBe("another 0123456789");
  });

  it("is refused before anything is done, and what is refused is named by its place", async () => {
    const service = current();
    const states = statesOf(service);
    const before = await rows(service);
    const claims = [{ claim: "roles", from: "groups", in: ["access" as const] }];
    const good = { id: "good", name: "Good", groups: ["staff"], claims };
    const refused: [object, string][] = [
      [
        { id: "bad", name: "Bad", redirectUris: ["https://ok.example/", "http://no.example/"] },
        "applications[1].redirectUris[1]: ",
      ],
      [{ id: "bad" }, "applications[1].name: "],
      [{ id: "bad", name: "Bad", passwordMinLength: 3 }, "applications[1].passwordMinLength: "],
      [{ id: "bad", name: "Bad", apiKeys: [{ value: "short" }] }, "applications[1].apiKeys[0].value: "],
      [
        { id: "bad", name: "Bad", providers: [{ name: "github", clientId: "x" }] },
        "applications[1].providers[0].clientSecret: ",
      ],
      [
        { id: "bad", name: "Bad", providers: [{ name: "own", clientId: "x", clientSecret: "x" }] },
        "applications[1].providers[0].issuer: ",
      ],
      [
        {
          id: "bad",
          name: "Bad",
          webhooks: [{ id: "w", url: "https://a.example/", events: ["no.such"], secret: "0123456789abcdef" }],
        },
        "applications[1].webhooks[0].events[0]: ",
      ],
      [{ id: "bad", name: "Bad", groups: ["fine", "not fine"] }, "applications[1].groups[1]: "],
      [{ id: "bad", name: "Bad", groups: [{ name: "not fine" }] }, "applications[1].groups[0]: "],
      [{ id: "bad", name: "Bad", trustBrowsers: "91d" }, "applications[1].trustBrowsers: "],
      [
        { id: "bad", name: "Bad", groups: ["fine"], claims: [...claims, { ...claims[0], claim: "Sub" }] },
        "applications[1].claims[1].claim: ",
      ],
    ];
    for (const [bad, place] of refused) {
      const desired = { version: 1, applications: [good, bad] } as DesiredState;
      await expect(states.plan(desired, { prune: false, actor })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        details: expect.stringContaining(place) as string,
      });
    }
    expect(await rows(service)).toEqual(before);
    await states.apply(shop("e"));
    await expect(
      states.apply({
        version: 1,
        applications: [good, { id: "thief", name: "T", apiKeys: [{ value: `${apiKey}e` }] }],
      }),
    ).rejects.toMatchObject({ code: "CONFLICT" });
    expect(
      await applications.find(service.server.app.ctx, service.server.app.ctx.storage.reader, "good"),
    ).toBeUndefined();
  });

  it("that points a provider elsewhere is refused with its identities, by plan and apply alike, or keeps them", async () => {
    const service = current();
    const states = statesOf(service);
    const desired = (issuer: string) =>
      only({
        id: "shop_moves",
        name: "Shop",
        providers: [{ name: "corp", clientId: "shop", clientSecret: "corp secret", issuer, trustsEmail: false }],
      });
    const [old, moved] = [desired("https://id.corp.example"), desired("https://id.moved.example")];
    await states.apply(old);
    const json = JSON.stringify({ email: newEmail(), identities: [{ provider: "corp", subject: "1" }] });
    const { ctx } = service.server.app;
    await userImport.importLines(ctx, "shop_moves", [{ line: 1, json }], { dryRun: false }, actor);
    const refused = {
      code: "CONFLICT",
      message: expect.stringMatching(/^applications\[0\]\.providers\[0\]: 1 identity of corp at https:\/\/id\.corp/u),
    };
    const options = { prune: false, actor };
    await expect(states.plan(moved, options)).rejects.toMatchObject(refused);
    const kept = [{ action: "update", kind: "provider", name: "corp", keptIdentities: 1 }];
    const planned = await states.plan(moved, { ...options, keepIdentities: true });
    expect(planned).toMatchObject(kept);
    await expect(states.desired(moved, { ...options, planned })).rejects.toMatchObject(refused);
    expect(await states.desired(moved, { ...options, keepIdentities: true, planned })).toMatchObject(kept);
    // Where nothing changes, nothing needs keeping.
    expect(await states.plan(moved, options)).toEqual([]);
  });

  it("is exported so that a plan of it finds no difference, without a secret", async () => {
    const service = current();
    const states = statesOf(service);
    await states.apply(shop("f"));
    const text = stateFileText(await desiredStates.exportState(service.server.app.ctx));
    expect(text).not.toMatch(/github secret|0123456789abcdef|pipeline-key/);
    const { state } = readStateFile(text, { name: "export", folder: "/", env: {}, protectedPaths: [] });
    expect(state.applications?.map(({ id }) => id)).toContain("shop_f");
    expect(await states.plan(state, { prune: true, actor })).toEqual([]);
  });

  it("plans what to delete from the same snapshot as everything else", async () => {
    const { ctx } = current().server.app;
    await current().createApp();
    const live = new Proxy({}, { get: () => expect.unreachable("the plan reads beside its snapshot") });
    const within = { ...ctx, storage: { ...ctx.storage, reader: live as Handle } };
    const { applications: all = [] } = await desiredStates.exportState(ctx);
    const planned = await desiredStates.plan(within, { version: 1, applications: [] }, { prune: true, actor });
    expect(planned.every(({ action }) => action === "delete")).toBe(true);
    expect(new Set(planned.map(({ application }) => application))).toEqual(new Set(all.map(({ id }) => id)));
  });

  it("pruned, deletes what it does not name, and nothing that nobody has agreed to", async () => {
    const service = current();
    const states = statesOf(service);
    await states.apply(shop("g"));
    const app = await service.createApp();
    await signUp(service, app, { email: newEmail() });
    const { ctx } = service.server.app;
    const { applications: all = [] } = await desiredStates.exportState(ctx);
    const others = all.filter(({ id }) => id !== app.id && id !== "shop_g");
    const desired = only(...others, {
      id: "shop_g",
      providers: [{ name: "corp", clientId: "shop", issuer: "https://id.corp.example" }],
    });
    const planned = await desiredStates.plan(ctx, desired, { prune: true, actor });
    expect(planned.map(({ action, kind, application, name }) => [action, kind, name ?? application])).toEqual([
      ["update", "application", "shop_g"],
      ["delete", "provider", "github"],
      ["delete", "webhook", "whe_g"],
      ["delete", "application", app.id],
    ]);
    const late = await service.createApp();
    await expect(desiredStates.apply(ctx, desired, { prune: true, actor, planned })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect(await applications.find(ctx, ctx.storage.reader, app.id)).toBeDefined();
    await states.apply(desired, true);
    expect(await applications.find(ctx, ctx.storage.reader, app.id)).toBeUndefined();
    expect(await applications.find(ctx, ctx.storage.reader, late.id)).toBeUndefined();
    expect(await states.plan(desired, { prune: true, actor })).toEqual([]);
  });

  it("says who needs a second factor, is exported with that, and leaves what it does not say", async () => {
    const service = current();
    const states = statesOf(service);
    const corp = { name: "corp", clientId: "x", clientSecret: "y", issuer: "https://id.corp.example" };
    const desired: DesiredState = {
      version: 1,
      applications: [
        {
          id: "shop_safe",
          name: "Safe",
          secondFactor: "optional",
          trustBrowsers: "30d",
          groups: ["all", { name: "staff", secondFactor: "required" }],
          providers: [{ ...corp, trustsSecondFactor: "amr=mfa" }],
          clients: [
            {
              id: "wiki_safe",
              name: "Wiki",
              kind: "spa",
              redirectUris: ["https://wiki.example/cb"],
              secondFactor: "required",
            },
          ],
        },
      ],
    };
    const { planned, changes } = await states.apply(desired);
    expect(changes).toEqual(planned);
    const { ctx } = service.server.app;
    const stored = await applications.find(ctx, ctx.storage.reader, "shop_safe");
    expect(stored?.settings).toMatchObject({ secondFactor: "optional", trustBrowsersDays: 30 });
    expect((await states.apply(desired)).changes).toEqual([]);
    const text = stateFileText(await desiredStates.exportState(ctx));
    const { state } = readStateFile(text, { name: "export", folder: "/", env: {}, protectedPaths: [] });
    expect(state.applications?.find(({ id }) => id === "shop_safe")).toMatchObject({
      secondFactor: "optional",
      trustBrowsers: "30d",
      groups: ["all", { name: "staff", secondFactor: "required" }],
      providers: [{ trustsSecondFactor: "amr=mfa" }],
      clients: [{ secondFactor: "required" }],
    });
    expect(await states.plan(state, { prune: false, actor })).toEqual([]);
    // A group's name alone says nothing about its policy.
    const names = ["all", "staff"];
    expect((await states.apply(only({ id: "shop_safe", groups: names }))).changes).toEqual([]);
    const off = { id: "shop_safe", trustBrowsers: "off", groups: [{ name: "staff", secondFactor: "off" as const }] };
    expect((await states.apply(only(off))).changes).toMatchObject([
      { kind: "application", fields: [{ field: "trustBrowsers", before: "30d", after: "off" }] },
      { action: "update", kind: "group", name: "staff", fields: [{ field: "secondFactor", after: "off" }] },
    ]);
  });

  it("a provider added since the plan is not deleted, and nothing else of its batch is done", async () => {
    const service = current();
    const states = statesOf(service);
    await states.apply(shop("late"));
    const desired: DesiredState = { version: 1, applications: [{ id: "shop_late", name: "Renamed" }] };
    const onlyShop = (changes: Change[]) => changes.filter(({ application }) => application === "shop_late");
    const planned = onlyShop(await states.plan(desired, { prune: true, actor }));
    const { ctx } = service.server.app;
    await providers.set(
      ctx,
      "shop_late",
      { name: "gitlab", clientId: "x", secret: "x", issuer: "https://gitlab.com" },
      actor,
    );
    const { applications: others = [] } = await desiredStates.exportState(service.server.app.ctx);
    const all = {
      ...desired,
      applications: [...others.filter(({ id }) => id !== "shop_late"), ...(desired.applications ?? [])],
    };
    await expect(states.desired(all, { prune: true, actor, planned })).rejects.toMatchObject({
      code: "CONFLICT",
      message: "More would be deleted than the plan showed; run plan again.",
    });
    expect((await providers.list(ctx, "shop_late")).map(({ name }) => name)).toContain("gitlab");
    expect(await applications.find(ctx, ctx.storage.reader, "shop_late")).toMatchObject({ name: "My shop" });
  });

  describe("a stored client secret goes to no other host unless the file has it, too", () => {
    const stored = {
      github: { name: "github", clientId: "Iv1" },
      corp: { name: "corp", clientId: "shop", issuer: "https://id.corp.example" },
    };
    const evil = "https://evil.example";
    it.each([
      ["github", { tokenUrl: `${evil}/t` }, evil],
      ["github", { tokenUrl: "https://github.com:8443/t" }, "https://github.com:8443"],
      ["github", { userinfoUrl: `${evil}/user` }, evil],
      ["corp", { issuer: evil }, evil],
      ["corp", { tokenUrl: `${evil}/t` }, evil],
      ["corp", { userinfoUrl: `${evil}/user` }, evil],
    ] as const)("%s with %j", async (name, change, recipient) => {
      const service = current();
      const states = statesOf(service);
      // As it was, after the case before.
      await states.apply(shop("to"));
      const id = "shop_to";
      const before = await rows(service);
      const desired = (more: object): DesiredState => ({
        version: 1,
        applications: [{ id, providers: [{ ...stored[name], ...change, ...more }] }],
      });
      for (const attempt of [
        () => states.plan(desired({}), { prune: false, actor }),
        () => states.apply(desired({})),
      ]) {
        const error: unknown = await attempt().catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({
          code: "INVALID_REQUEST",
          details: `applications[0].providers[0].clientSecret: needed again, because ${recipient} would get the stored one or its tokens`,
        });
      }
      expect(await rows(service)).toEqual(before);
      await states.apply(desired({ clientSecret: `${name} secret` }));
      expect(await states.plan(desired({}), { prune: false, actor })).toEqual([]);
      // The same host is no other one.
      const path = { authorizationUrl: `${evil}/authorize`, jwksUrl: `${evil}/keys`, clientId: "other" };
      expect(await states.plan(desired(path), { prune: false, actor })).toHaveLength(1);
    });
  });

  it("is planned while another process holds the lock of all writes", async () => {
    const service = current();
    const other = await lockWrites(service);
    try {
      const planned = await statesOf(service).plan(shop("locked"), { prune: true, actor });
      expect(planned.filter(({ action }) => action === "create")).toHaveLength(5);
    } finally {
      await other.release();
    }
  });

  it("is applied some applications at a time: others write in between, and what was broken off goes on", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const states = statesOf(service);
    const desired: DesiredState = {
      version: 1,
      applications: Array.from({ length: 60 }, (_, index) => ({ id: `many_${index}`, name: `Shop ${index}` })),
    };
    const allow = await forbid(service, "INSERT", "applications", "NEW.id = 'many_50'");
    const applied = states.apply(desired).then(
      () => "all",
      () => "some",
    );
    const other = await service.createApp();
    const before = await applications.find(ctx, ctx.storage.reader, "many_59");
    expect(await applied).toBe("some");
    await allow();
    expect([before, await applications.find(ctx, ctx.storage.reader, "many_50")]).toEqual([undefined, undefined]);
    expect(await applications.find(ctx, ctx.storage.reader, "many_0")).toBeDefined();
    expect(await applications.find(ctx, ctx.storage.reader, other.id)).toBeDefined();

    const planned = await states.plan(desired, { prune: false, actor });
    expect(planned.length).toBeLessThan(60);
    expect((await states.apply(desired)).changes).toEqual(planned);
    expect(await states.plan(desired, { prune: false, actor })).toEqual([]);
    expect((await applications.list(ctx)).filter(({ id }) => id.startsWith("many_"))).toHaveLength(60);
  });

  it("deletes no user and no event to plan a deletion, however many there are", async () => {
    const service = current();
    const states = statesOf(service);
    await states.apply(shop("h"));
    const app = await service.createApp();
    await signUp(service, app, { email: newEmail() });
    const hook = { url: "https://shop.example/hook", events: ["user.login"], secret: "0123456789abcdef" };
    await createEndpoint(service, app, { id: "whe_moves", ...hook });
    await happen(service, { ...app, id: "shop_h" });
    const desired: DesiredState = {
      version: 1,
      // With a key of the application that goes, and with the name of its webhook.
      applications: [{ id: "shop_h", apiKeys: [{ value: app.apiKey }], webhooks: [{ id: "whe_moves", ...hook }] }],
    };
    const undo = [await forbidDeletions(service, "users"), await forbidDeletions(service, "webhook_deliveries")];
    const planned = await states.plan(desired, { prune: true, actor });
    for (const allow of undo) await allow();
    const deleted = planned.filter(({ action }) => action === "delete");
    expect(deleted).toContainEqual(
      expect.objectContaining({ kind: "application", application: app.id, users: 1 }) as unknown,
    );
    expect(deleted).toContainEqual(expect.objectContaining({ kind: "webhook", name: "whe_h" }) as unknown);
    const { ctx } = service.server.app;
    await desiredStates.apply(ctx, desired, { prune: true, actor, planned });
    expect(await states.plan(desired, { prune: true, actor })).toEqual([]);
  });
});

/** Lets every deletion of a row of this table fail; the answer takes that back. */
async function forbidDeletions(service: TestService, table: string): Promise<() => Promise<unknown>> {
  return await forbid(service, "DELETE", table, "true");
}

async function forbid(
  service: TestService,
  act: "DELETE" | "INSERT",
  table: string,
  when: string,
): Promise<() => Promise<unknown>> {
  if (service.dialect === "sqlite") {
    await runSql(
      service,
      `CREATE TRIGGER keep_${table} BEFORE ${act} ON ${table} WHEN ${when} BEGIN SELECT RAISE(ABORT, 'kept'); END`,
    );
    return async () => await runSql(service, `DROP TRIGGER keep_${table}`);
  }
  await runSql(
    service,
    `CREATE FUNCTION keep_${table}() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'kept'; END $$ LANGUAGE plpgsql;
     CREATE TRIGGER keep BEFORE ${act} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION keep_${table}()`,
  );
  return async () => await runSql(service, `DROP FUNCTION keep_${table} CASCADE`);
}

/** As another process does that writes to every table which a plan looks at. */
async function lockWrites({ config }: TestService): Promise<{ release(): Promise<void> }> {
  if (config.database.url === undefined) {
    const connection = new Database(join(config.dataDir, "authsvc.db"));
    connection.exec("BEGIN IMMEDIATE");
    return { release: async () => void connection.close() };
  }
  const client = new Client(config.database.url);
  await client.connect();
  await client.query("BEGIN");
  const tables = "applications, api_keys, oauth_providers, webhook_endpoints, audit_events";
  await client.query(`LOCK TABLE ${tables} IN EXCLUSIVE MODE`);
  return { release: async () => client.end() };
}
