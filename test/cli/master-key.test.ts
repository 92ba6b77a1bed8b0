import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as providers from "../../src/applications/providers/provider-clients.ts";
import { clientSecretOf } from "../../src/companies/service.ts";
import { organizationVisitContext } from "../../src/companies/visits.ts";
import { findProvider } from "../../src/organizations/provider/provider-store.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import { storeProvider } from "../support/company-provider.ts";
import { withOrganizations } from "../support/organizations.ts";
import { call, newEmail, redeem, refresh, signIn, signUp } from "../support/person.ts";
import type { Dialect, TestApp, TestService } from "../support/service.ts";
import { operator, webhookSecret } from "../support/webhooks.ts";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";
import { keysIn, newKey, startKeyPlace } from "./key-place.ts";
import { runSql } from "./sql.ts";

describe.each<Dialect>(["sqlite", "postgres"])("master-key rotate (%s)", (dialect) => {
  let running: Awaited<ReturnType<typeof startKeyPlace>>;
  let service: TestService;
  let app: TestApp;
  let endpointId = "";
  let organizationId = "";

  beforeAll(async () => {
    running = await startKeyPlace(dialect);
    service = running.service;
    app = await service.createApp();
    const { ctx } = service.server.app;
    const hook = { url: "https://hooks.example.com/", events: ["user.login"], secret: webhookSecret };
    endpointId = (await webhooks.create(ctx, app.id, hook, operator)).id;
    await providers.set(ctx, app.id, { name: "google", clientId: "client", secret: "a provider's" }, operator.actor);
    const { newOrganization } = await withOrganizations(service);
    organizationId = (await newOrganization()).id;
    const own = { issuer: "https://acme.example", clientId: "client", secret: "a company's" };
    const { appId, issuer } = await storeProvider(service, { id: organizationId }, own);
    await ctx.storage.write(async (tx) => {
      const encryptedSessionId = await ctx.keyring.encrypt(tx, "sis_1", organizationVisitContext("visit"));
      const row = { digest: "visit", organizationId, appId, issuer, purpose: "sign-in", userId: null } as const;
      const rest = { browserDigest: "b", encryptedSessionId, expiresAt: service.clock.now + 600_000 };
      await tx.db.insert(tx.tables.organizationVisits).values({ ...row, ...rest });
    });
  });
  afterAll(async () => await running.stop());

  async function expectSecrets(): Promise<void> {
    const { ctx } = service.server.app;
    expect(await webhooks.secret(ctx, endpointId)).toBe(webhookSecret);
    expect((await providers.settings(ctx, app.id)).map((each) => each.secret())).toEqual(["a provider's"]);
    const own = await findProvider(ctx.storage.reader, organizationId);
    expect(own && clientSecretOf(ctx, own)).toBe("a company's");
    const [visit] = await ctx.storage.reader.db.select().from(ctx.storage.reader.tables.organizationVisits);
    expect(ctx.keyring.decrypt(visit?.encryptedSessionId ?? "", organizationVisitContext("visit"))).toBe("sis_1");
  }

  /** Nothing is under another key than the one in the file. */
  async function expectSound(): Promise<void> {
    expect(await answer(["db", "check"], running.place)).toEqual({ ok: true, problems: [] });
  }

  it("puts everything under a new key while the service runs, and nobody is signed out", async () => {
    const person = { email: newEmail() };
    const tokens = await redeem(service, app, await signUp(service, app, person));
    const [before] = keysIn(running.file);
    running.prepare();
    const planned = await running.rotate("--dry-run");
    expect(planned).toMatchObject({ makesKey: dialect === "sqlite", switches: true, unreadable: 0, dryRun: true });
    const rotated = (await running.rotate()) as { reencrypted: { rows: number }[]; retiredKey: string | null };
    expect(rotated).toMatchObject({ switched: true, unreadable: 0 });
    expect(rotated.reencrypted).toEqual(
      expect.arrayContaining(
        ["signing_keys", "oauth_providers", "webhook_endpoints", "organization_providers", "organization_visits"].map(
          (table) => ({ table, rows: 1 }),
        ),
      ),
    );
    if (dialect === "sqlite") expect(keysIn(rotated.retiredKey ?? "")).toEqual([before]);
    running.finish();
    expect(keysIn(running.file)).not.toContain(before);
    expect(keysIn(running.file)).toHaveLength(1);

    await expectSecrets();
    expect((await refresh(service, app, tokens.refreshToken)).status).toBe(200);
    await redeem(service, app, await signIn(service, app, person));
    // The running service writes under the new key.
    const hook = { url: "https://other.example.com/", events: ["user.login"], secret: webhookSecret };
    expect((await call(service, "POST", "/webhooks/endpoints", app.headers, hook)).status).toBe(201);
    await expectSound();
    const actions = (await answer(["audit", "list", "--since", "1h"], running.place)) as { action: string }[];
    expect(actions.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["master-key.rotate", "master-key.retire"]),
    );
    expect(await service.databaseText()).not.toContain(keysIn(running.file)[0]);
  });

  it("continues where it was killed: with the key written, and with values under both keys", async () => {
    const [first = ""] = keysIn(running.file);
    writeFileSync(running.file, `${newKey()}\n${first}\n`);
    const column = { table: "webhook_endpoints", column: "encrypted_secret", id: endpointId };
    const [old] = await runSql(
      service,
      `SELECT ${column.column} AS value FROM ${column.table} WHERE id = '${column.id}'`,
    );
    const [second = ""] = keysIn(running.file);
    expect(await running.rotate()).toMatchObject({ switched: true });
    running.finish();
    expect(keysIn(running.file)).toEqual([second]);

    await runSql(
      service,
      `UPDATE ${column.table} SET ${column.column} = '${String(old?.["value"])}' WHERE id = '${column.id}'`,
    );
    await runSql(service, `INSERT INTO facts (name, value) VALUES ('master-key-rotation', '1')`);
    writeFileSync(running.file, `${second}\n${first}\n`);
    await expectSecrets();
    const findings = (await answer(["doctor"], running.place)) as { check: string; fix: string | null }[];
    expect(findings).toContainEqual(expect.objectContaining({ check: "master-key", fix: "authsvc master-key rotate" }));
    expect(await running.rotate()).toMatchObject({
      switched: false,
      reencrypted: [{ table: "webhook_endpoints", rows: 1 }],
    });
    running.finish();
    expect(keysIn(running.file)).toEqual([second]);
    await expectSound();
    await expectSecrets();
  });

  it("takes the new key from a file that only its owner can read", async () => {
    const { cwd } = running.place;
    const file = join(cwd, "next.key");
    const key = newKey();
    const refused = async (content: string, mode: number): Promise<unknown> => {
      writeFileSync(file, content);
      chmodSync(file, mode);
      return await authsvc(["master-key", "rotate", "--yes", "--new-key-file", file], running.place);
    };
    for (const [content, mode, said] of [
      [`${key.slice(1)}\n`, 0o600, /43 base64url characters/u],
      [`${"A".repeat(43)}\n`, 0o600, /not random/u],
      [`${keysIn(running.file)[0]}\n`, 0o600, /current master key/u],
      [`${key}\n${newKey()}\n`, 0o600, /more than one line/u],
      [`${key}\n`, 0o640, /chmod 600/u],
    ] as const)
      expect(await refused(content, mode)).toMatchObject({ code: 2, stderr: expect.stringMatching(said) as string });
    const nowhere = await authsvc(["master-key", "rotate", "--new-key-file", "nowhere"], running.place);
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("does not exist") as string });

    writeFileSync(file, `${key}\n`);
    chmodSync(file, 0o600);
    if (dialect === "postgres") writeFileSync(running.file, [key, ...keysIn(running.file)].join("\n"));
    expect(await running.rotate("--new-key-file", file)).toMatchObject({ switched: true });
    running.finish();
    expect(keysIn(running.file)).toEqual([key]);
    await expectSound();
    await expectSecrets();
  });

  it("says that a backup needs the old key, and takes it as a second line", async () => {
    const backup = join(emptyFolder(), "a.backup");
    await answer(["db", "backup", backup], running.place);
    const [old = ""] = keysIn(running.file);
    running.prepare();
    await running.rotate();
    running.finish();
    const other = {
      cwd: emptyFolder(),
      env: { AUTHSVC_DATA: join(emptyFolder(), "data"), AUTHSVC_MASTER_KEY_FILE: running.file },
    };
    const refused = await authsvc(["db", "restore", backup, "--yes"], other);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("as a second line") as string });
    writeFileSync(running.file, [...keysIn(running.file), old].join("\n"));
    await answer(["db", "restore", backup, "--yes"], other);
    expect(await answer(["master-key", "rotate", "--yes"], other)).toMatchObject({ switched: true, unreadable: 0 });
    running.finish();
    writeFileSync(running.file, `${keysIn(running.file)[0]}\n`);
    expect(await answer(["db", "check"], other)).toEqual({ ok: true, problems: [] });
  });
});

describe("a rotation of keys that an operator hands out", () => {
  it("says what to do while there is one key, and asks whether every process has the new one", async () => {
    const running = await startKeyPlace("postgres");
    const one = await authsvc(["master-key", "rotate", "--yes"], running.place);
    expect(one).toMatchObject({ code: 4, stdout: "" });
    expect(one.stderr).toMatch(/only one master key in \S+operators\.key.*openssl rand.*run this command again/su);
    running.prepare();
    const unconfirmed = await authsvc(["master-key", "rotate"], running.place);
    expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining("every process") as string });
    await running.stop();
  });

  it("a process without the new key writes nothing under the old one", async () => {
    const running = await startKeyPlace("postgres");
    const { service, file } = running;
    const app = await service.createApp();
    const [old = ""] = keysIn(file);
    running.prepare();
    await running.rotate();
    const [next = ""] = keysIn(file);
    // As a node whose operator has forgotten it.
    writeFileSync(file, `${old}\n`);
    const hook = { url: "https://hooks.example.com/", events: ["user.login"], secret: webhookSecret };
    expect((await call(service, "POST", "/webhooks/endpoints", app.headers, hook)).status).toBe(500);
    writeFileSync(file, `${next}\n`);
    expect((await call(service, "POST", "/webhooks/endpoints", app.headers, hook)).status).toBe(201);
    expect(await answer(["db", "check"], running.place)).toEqual({ ok: true, problems: [] });
    await running.stop();
  });
});

it("a key file is never left half-written, and two rotations at once come to one key", async () => {
  const { service, place, rotate, stop } = await startKeyPlace("sqlite");
  await service.createApp();
  const ended = await Promise.allSettled([rotate(), rotate(), rotate()]);
  expect(ended.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
  const names = readdirSync(service.dataDir).filter((name) => name.startsWith("master.key"));
  for (const name of names.filter((each) => !each.includes(".lock")))
    expect(readFileSync(join(service.dataDir, name), "utf8")).toMatch(/^[\w-]{43}\n$/u);
  expect(await answer(["db", "check"], place)).toEqual({ ok: true, problems: [] });
  await stop();
});
