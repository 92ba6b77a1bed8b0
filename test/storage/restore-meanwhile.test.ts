import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { newSecret, systemRandom } from "../../src/lib/random.ts";
import { restoreDatabase } from "../../src/upkeep/database/transfers.ts";
import { lockMasterKey } from "../../src/secrets/master-key.ts";
import { openStorage } from "../../src/storage/open.ts";
import { emptyFolder } from "../cli/command.ts";
import { answer, authsvc } from "../cli/in-process.ts";
import { testConfig } from "../support/service.ts";

async function place() {
  const cwd = emptyFolder();
  const dataDir = join(cwd, "data");
  // Makes a master key.
  await answer(["signing-key", "list"], { cwd });
  await answer(["app", "create", "--name", "Kept"], { cwd });
  const backup = join(cwd, "a.backup");
  await answer(["db", "backup", backup], { cwd });
  const config = { ...testConfig, dataDir, database: { url: undefined, poolSize: 1 } };
  const restore = async (confirm: () => Promise<void>): Promise<unknown> => {
    const wish = { dryRun: false, keepLogins: false, announce: async () => {}, confirm };
    const surroundings = { clock: systemClock, random: systemRandom, onProgress: () => {} };
    return await restoreDatabase(config, backup, wish, { kind: "cli", name: "test" }, surroundings);
  };
  return { cwd, dataDir, backup, key: join(dataDir, "master.key"), database: join(dataDir, "authsvc.db"), restore };
}

const conflict = (text: string): Error =>
  expect.objectContaining({ code: "CONFLICT", message: expect.stringContaining(text) as string }) as Error;

it("a restore refuses while the master key is rotated", async () => {
  const { cwd, key, backup } = await place();
  const unlock = lockMasterKey(key);
  const refused = await authsvc(["db", "restore", backup, "--yes"], { cwd });
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("is rotating the master key") as string });
  const rotation = await authsvc(["master-key", "rotate"], { cwd });
  expect(rotation).toMatchObject({ code: 4, stderr: expect.stringContaining("restoring the database") as string });
  unlock();
  await answer(["db", "restore", backup, "--yes"], { cwd });
});

it("a restore looks again after it was confirmed: at who uses the database, and at the master key", async () => {
  const { dataDir, database, key, restore } = await place();
  let storage: Awaited<ReturnType<typeof openStorage>> | undefined;
  const used = restore(async () => {
    storage = await openStorage({ url: undefined, poolSize: 1, file: database }, 0, () => {});
  });
  await expect(used).rejects.toThrow(conflict("in use"));
  await storage?.close();

  copyFileSync(key, `${key}.copy`);
  const other = restore(async () => writeFileSync(key, `${newSecret(systemRandom)}\n`));
  await expect(other).rejects.toThrow(conflict("another master key"));
  expect(readdirSync(dataDir).filter((name) => name.includes("restor") || name.endsWith(".lock"))).toEqual([]);

  rmSync(key);
  copyFileSync(`${key}.copy`, key);
  await restore(async () => {});
  expect(existsSync(database)).toBe(true);
});
