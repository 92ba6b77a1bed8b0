import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { systemRandom } from "../../src/lib/random.ts";
import { demandKey, endRotation, switchMasterKey } from "../../src/upkeep/database/switched-master-key.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import { checkMetadata, checkOf, rotationMetadata } from "../../src/secrets/check.ts";
import { MasterKey } from "../../src/secrets/key.ts";
import { lockMasterKey } from "../../src/secrets/master-key.ts";
import { findMetadata, replaceMetadata } from "../../src/secrets/store.ts";
import { becomeNextVersion } from "../support/next-version.ts";
import { makeOldDatabase } from "../support/old-database.ts";
import { isBuilt } from "../support/program.ts";
import { createEndpoint, webhookSecret } from "../support/webhooks.ts";
import { emptyFolder } from "./command.ts";
import { dialectsOfCommands } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";
import { keysIn, newKey, startKeyPlace } from "./key-place.ts";
import { runSql } from "./sql.ts";
import { aboutSources } from "../support/left-out.ts";

const masterKeyOf = (text: string): MasterKey => new MasterKey(Buffer.from(text, "base64url"), systemRandom);
const actor = { kind: "cli", name: "test" } as const;

describe.each(dialectsOfCommands())("master-key rotate after a mistake (%s)", (dialect) => {
  let running: Awaited<ReturnType<typeof startKeyPlace>>;
  let endpointId = "";
  let first = "";

  beforeEach(async () => {
    running = await startKeyPlace(dialect);
    const { service } = running;
    endpointId = await createEndpoint(service, await service.createApp(), { url: "https://hooks.example.com/" });
    [first = ""] = keysIn(running.file);
  });
  afterEach(async () => await running.stop());

  const putKeys = (...keys: string[]): void => writeFileSync(running.file, keys.map((key) => `${key}\n`).join(""));
  const storedSecret = async (): Promise<string> => {
    const [row] = await runSql(running.service, "SELECT encrypted_secret AS value FROM webhook_endpoints");
    return String(row?.["value"]);
  };
  const storeSecret = async (value: string) =>
    await runSql(running.service, `UPDATE webhook_endpoints SET encrypted_secret = '${value}'`);
  /** With what is put in the file in the end, and no other key. */
  async function expectSound(key: string): Promise<void> {
    putKeys(key);
    expect(await answer(["db", "check"], running.place)).toEqual({ ok: true, problems: [] });
    expect(await webhooks.secret(running.service.server.app.ctx, endpointId)).toBe(webhookSecret);
  }

  it("keys in the wrong order are refused with what to do, and nothing is changed", async () => {
    const second = newKey();
    putKeys(first, second);
    for (const flags of [["--yes"], ["--dry-run"]]) {
      const refused = await authsvc(["master-key", "rotate", ...flags], running.place);
      expect(refused).toMatchObject({ code: 4, stdout: "" });
      expect(refused.stderr).toMatch(/the first key in \S+ is already the current one; insert the new one before it/iu);
    }
    expect(keysIn(running.file)).toEqual([first, second]);
    putKeys(second, first);
    expect(await running.rotate()).toMatchObject({ switched: true });
    await expectSound(second);
  });

  it("what an older process wrote under the old key after a rotation, the next call finds", async () => {
    const old = await storedSecret();
    const second = newKey();
    putKeys(second, first);
    await running.rotate();
    await storeSecret(old);
    putKeys(second, first);
    const rotated = await running.rotate();
    expect(rotated).toMatchObject({ switched: false, reencrypted: [{ table: "webhook_endpoints", rows: 1 }] });
    await expectSound(second);
  });

  it("of a backup that was taken during a rotation, the newest key that is given becomes the key", async () => {
    const old = await storedSecret();
    const [second, third] = [newKey(), newKey()];
    putKeys(second, first);
    await running.rotate();
    await storeSecret(old);
    await runSql(running.service, `INSERT INTO facts (name, value) VALUES ('${rotationMetadata}', '77')`);
    putKeys(third, second, first);
    expect(await running.rotate()).toMatchObject({ switched: true, unreadable: 0 });
    await expectSound(third);
  });

  it("ends no rotation but its own, and none of a database that was restored meanwhile", async () => {
    const { ctx } = running.service.server.app;
    const { storage } = ctx;
    const record = { actor, now: 5 };
    const [second, third] = [newKey(), newKey()].map(masterKeyOf);
    if (!second || !third) throw new Error("no key");
    const mark = await switchMasterKey(ctx, { current: masterKeyOf(first), next: second }, record);
    const conflict = expect.objectContaining({ code: "CONFLICT" }) as Error;
    await expect(endRotation(ctx, { next: second, mark: "4" }, record)).rejects.toThrow(conflict);
    await storage.write((tx) => replaceMetadata(tx, checkMetadata, checkOf(third)));
    await expect(demandKey(storage.reader, second)).rejects.toThrow(conflict);
    await expect(endRotation(ctx, { next: second, mark }, record)).rejects.toThrow(conflict);
    expect(await findMetadata(storage.reader, rotationMetadata)).toBe(mark);
  });
});

it("--dry-run makes no key", async () => {
  const data = emptyFolder();
  const place = { cwd: data, env: { AUTHSVC_DATA: data } };
  await answer(["app", "list"], place);
  expect(await answer(["master-key", "rotate", "--dry-run"], place)).toMatchObject({ makesKey: true, values: 0 });
  expect(existsSync(join(data, "master.key"))).toBe(false);
});

it("--dry-run leaves a database alone that is yet to be migrated", async ({ skip }) => {
  skip(isBuilt, aboutSources);
  const old = emptyFolder();
  makeOldDatabase(join(old, "authsvc.db"), 1);
  const before = readFileSync(join(old, "authsvc.db"));
  const becomeThisVersion = becomeNextVersion();
  onTestFinished(becomeThisVersion);
  const refused = await authsvc(["master-key", "rotate", "--dry-run"], { cwd: old, env: { AUTHSVC_DATA: old } });
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("authsvc db migrate") as string });
  expect(readFileSync(join(old, "authsvc.db"))).toEqual(before);
  expect(readdirSync(old).filter((name) => !/^authsvc\.db(?:-wal|-shm)?$/u.test(name))).toEqual([]);
});

it("of two switches at once one succeeds, and the other one says that it came too late (postgres)", async () => {
  const { service, file, stop } = await startKeyPlace("postgres");
  await service.createApp();
  const { ctx } = service.server.app;
  const current = masterKeyOf(keysIn(file)[0] ?? "");
  const client = new Client(service.config.database.url);
  await client.connect();
  await client.query("BEGIN");
  await client.query("SELECT 1 FROM facts WHERE name = $1 FOR UPDATE", [checkMetadata]);
  const switches = [newKey(), newKey()].map(async (key) => {
    const record = { actor, now: service.clock.now };
    return await switchMasterKey(ctx, { current, next: masterKeyOf(key) }, record);
  });
  const ended = Promise.allSettled(switches);
  const waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  const waiting = async (): Promise<number | null> => {
    await client.query("SELECT pg_stat_clear_snapshot()");
    return (await client.query(waits)).rowCount;
  };
  await expect.poll(waiting, { timeout: 60_000 }).toBe(2);
  await client.query("ROLLBACK");
  await client.end();
  const failures = (await ended).flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  expect(failures).toEqual([expect.objectContaining({ code: "CONFLICT" })]);
  await stop();
});

describe("a rotation of the key in the data folder", () => {
  let running: Awaited<ReturnType<typeof startKeyPlace>>;
  beforeEach(async () => {
    running = await startKeyPlace("sqlite");
    await running.service.createApp();
  });
  afterEach(async () => await running.stop());

  it("refuses a key file that is a symbolic link, and leaves it alone", async () => {
    const target = join(emptyFolder(), "elsewhere.key");
    renameSync(running.file, target);
    symlinkSync(target, running.file);
    for (const flags of [["--yes"], ["--dry-run"]]) {
      const refused = await authsvc(["master-key", "rotate", ...flags], running.place);
      expect(refused).toMatchObject({ stdout: "", stderr: expect.stringContaining("is a symbolic link") as string });
      expect(refused.code).not.toBe(0);
    }
    expect(lstatSync(running.file).isSymbolicLink()).toBe(true);
    expect(keysIn(target)).toHaveLength(1);
  });

  it("never loses a key that an earlier one has put aside", async () => {
    const [first = ""] = keysIn(running.file);
    const earlier = newKey();
    await runSql(running.service, `INSERT INTO facts (name, value) VALUES ('${rotationMetadata}', '77')`);
    const retired = `${running.file}.before-rotation-77`;
    writeFileSync(retired, `${earlier}\n`, { mode: 0o600 });
    const unused = newKey();
    writeFileSync(running.file, `${first}\n${unused}\n`);
    expect(await running.rotate()).toMatchObject({ switched: false, retiredKey: retired });
    expect(keysIn(retired).toSorted()).toEqual([earlier, unused].toSorted());
    expect(keysIn(running.file)).toEqual([first]);
  });

  it("removes what a killed one left of a key file, and a start does so, too, unless it is being written", async () => {
    const left = ["master.key.0123456789ab.partial", "master.key.before-rotation-5.0123456789ab.partial"];
    const kept = "master.key.copy.partial";
    const put = (): void => {
      for (const name of [...left, kept]) writeFileSync(join(running.service.dataDir, name), "a key");
    };
    const partials = (): string[] => readdirSync(running.service.dataDir).filter((name) => name.endsWith(".partial"));
    put();
    await running.rotate();
    expect(partials()).toEqual([kept]);
    put();
    const holdKey = lockMasterKey(running.file);
    await answer(["signing-key", "list"], running.place);
    expect(partials()).toHaveLength(3);
    holdKey();
    await answer(["signing-key", "list"], running.place);
    expect(partials()).toEqual([kept]);
  });
});
