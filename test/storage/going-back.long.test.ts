import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { emptyFolder } from "../cli/command.ts";
import { answer, authsvc } from "../cli/in-process.ts";
import { becomeNextVersion, nextVersion } from "../support/next-version.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { testMasterKey, type Dialect } from "../support/service.ts";

type Place = { cwd: string; env: Record<string, string> };

async function newPlace(dialect: Dialect): Promise<Place> {
  const cwd = emptyFolder();
  if (dialect === "sqlite") return { cwd, env: {} };
  const env = { AUTHSVC_DATABASE__URL: await createTestDatabase(), AUTHSVC_MASTER_KEY: testMasterKey };
  return { cwd, env };
}

const createApp = async (place: Place, id: string) =>
  await answer(["app", "create", "--id", id, "--name", id, "--redirect-uri", "https://app.example/callback"], place);
const appsOf = async (place: Place) => ((await answer(["app", "list"], place)) as { id: string }[]).map(({ id }) => id);

/** An application of before, and one that the next version has created after its migration. */
async function upgraded(dialect: Dialect): Promise<Place> {
  const place = await newPlace(dialect);
  await createApp(place, "app_before");
  await answer(["db", "backup", "before.backup", "--yes"], place);
  const becomeThisVersion = becomeNextVersion();
  onTestFinished(becomeThisVersion);
  await createApp(place, "app_after");
  becomeThisVersion();
  return place;
}

/** Why this version refuses what the next one has migrated, and the command that it names. */
async function refused(place: Place): Promise<{ reason: string; command: string[] }> {
  const { code, stdout, stderr } = await authsvc(["app", "list"], place);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(
    `newer than this program: authsvc ${nextVersion} migrated it (9998_next-version), and this is authsvc ${packageFile.version}. Run authsvc ${nextVersion} again. To go back, and lose what changed since, stop the service`,
  );
  const [reason = "", command = ""] = stderr.trim().split(": authsvc db restore ");
  return { reason, command: ["db", "restore", ...command.split(" ")] };
}

describe("an older program over a newer database", () => {
  it("names the version that it needs and the snapshot of before (sqlite); the command goes back to it", async () => {
    const place = await upgraded("sqlite");
    const { reason, command } = await refused(place);
    expect(reason).toMatch(/ and run$/u);
    expect(command[2]).toMatch(/\/data\/authsvc\.db\.before-migration-\d+$/u);
    expect(await authsvc(command, place)).toMatchObject({ code: 0 });
    expect(await appsOf(place)).toEqual(["app_before"]);
    expect(await answer(["db", "check"], place)).toEqual({ ok: true, problems: [] });
  });

  it("asks for the backup of before where no snapshot is (sqlite)", async () => {
    const place = await upgraded("sqlite");
    const elsewhere = emptyFolder();
    copyFileSync(join(place.cwd, "data/authsvc.db"), join(elsewhere, "authsvc.db"));
    const { reason, command } = await refused({ cwd: elsewhere, env: { AUTHSVC_DATA: elsewhere } });
    expect(reason).toMatch(/ and run, with the backup made before the upgrade$/u);
    expect(command[2]).toBe("FILE");
  });

  it("says that the backup goes into an empty database (postgres), where it works", async () => {
    const place = await upgraded("postgres");
    const { reason, command } = await refused(place);
    expect(reason).toMatch(/set database\.url to an empty database and run, with the backup made before/u);
    const withBackup = command.map((word) => (word === "FILE" ? "before.backup" : word));
    // Into the newer one it does not go, which stays as it is.
    const over = await authsvc(withBackup, place);
    expect([over.code, over.stderr]).toEqual([1, expect.stringContaining("set database.url to an empty database")]);
    const becomeThisVersion = becomeNextVersion();
    onTestFinished(becomeThisVersion);
    expect(await appsOf(place)).toEqual(["app_before", "app_after"]);
    becomeThisVersion();
    const fresh = { ...place, env: { ...place.env, AUTHSVC_DATABASE__URL: await createTestDatabase() } };
    expect(await authsvc(withBackup, fresh)).toMatchObject({ code: 0 });
    expect(await appsOf(fresh)).toEqual(["app_before"]);
  });
});
