import {
  chownSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writePrivately } from "../../src/lib/durable-files.ts";
import { writeBackup } from "../../src/storage/backup/backup.ts";
import { lockFile } from "../../src/storage/locks/file-lock.ts";
import { claimOf, lockOf, partialOf } from "../../src/storage/locks/half-made.ts";
import { openStorage } from "../../src/storage/open.ts";
import { openSqliteSnapshot } from "../../src/storage/sqlite/snapshot.ts";
import { authsvc as command, emptyFolder } from "../cli/command.ts";
import { answer, authsvc } from "../cli/in-process.ts";
import { asNextVersion, becomeNextVersion } from "../support/next-version.ts";
import { countOldRows, makeOldDatabase } from "../support/old-database.ts";

const rows = 1000;

function oldDatabase(): { cwd: string; data: string; file: string } {
  const cwd = emptyFolder();
  const data = join(cwd, "data");
  const file = join(data, "authsvc.db");
  makeOldDatabase(file, rows);
  return { cwd, data, file };
}

async function open(file: string): Promise<void> {
  await (await openStorage({ url: undefined, poolSize: 1, file }, 1_700_000_000_000, () => {})).close();
}

describe("nothing half-made keeps a final name", () => {
  let becomeThisVersion: () => void;
  beforeAll(() => {
    becomeThisVersion = becomeNextVersion();
  });
  afterAll(() => becomeThisVersion());

  it("a snapshot before a migration is whole, and what an interrupted one left is removed at the next start", async () => {
    const { data, file } = oldDatabase();
    for (const left of ["before-migration-5.partial", "before-migration-5.partial-journal", "before-restore-7.partial"])
      writeFileSync(join(data, `authsvc.db.${left}`), "people's data");
    await open(file);
    expect(readdirSync(data).toSorted()).toEqual(["authsvc.db", "authsvc.db.before-migration-1700000000000"]);
    expect(countOldRows(`${file}.before-migration-1700000000000`)).toBe(rows);
    expect(countOldRows(file)).toBe(rows);
  });

  it("two starts at once keep one snapshot of an old database, and none of a new one", async () => {
    const { cwd, data } = oldDatabase();
    const starts = await Promise.all(
      [1, 2].map(async () => await command(["app", "list"], { cwd, env: asNextVersion })),
    );
    for (const { code, stderr } of starts) expect(stderr, String(code)).toContain("There are no applications yet");
    const snapshots = readdirSync(data).filter((name) => name.startsWith("authsvc.db."));
    expect(snapshots).toEqual([expect.stringMatching(/^authsvc\.db\.before-migration-\d+$/u)]);
    expect(countOldRows(join(data, snapshots[0] ?? ""))).toBe(rows);

    const empty = emptyFolder();
    await Promise.all([1, 2].map(async () => await command(["app", "list"], { cwd: empty })));
    // Two that close it at the same moment leave its log, which is empty.
    const files = readdirSync(join(empty, "data")).filter((name) => !/-(?:wal|shm)$/u.test(name));
    expect(files).toEqual(["authsvc.db"]);
  });

  it("what a killed restore left is removed at the next start, but not while a restore runs", async () => {
    const { data, file } = oldDatabase();
    await open(file);
    const left = ["restoring-0123456789ab", "restoring-0123456789ab-wal", "restoring-0123456789ab.stray-wal"];
    for (const name of left) writeFileSync(join(data, `authsvc.db.${name}`), "people's data");
    const release = lockFile(lockOf(file));
    await open(file);
    expect(readdirSync(data)).toEqual(expect.arrayContaining(left.map((name) => `authsvc.db.${name}`)));
    release?.();
    await open(file);
    expect(readdirSync(data).filter((name) => name.includes("restoring"))).toEqual([]);
  });

  it("a restore refuses while another one or a migration runs, and names no file", async () => {
    const { cwd, file } = oldDatabase();
    const backup = join(cwd, "a.backup");
    await answer(["db", "backup", backup], { cwd });
    const release = lockFile(lockOf(file));
    const refused = await authsvc(["db", "restore", backup, "--yes"], { cwd });
    release?.();
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("Another authsvc") as string });
  });

  it("what a killed backup left is removed by the next backup into the folder, but not what one writes now", async () => {
    const { cwd } = oldDatabase();
    const folder = emptyFolder();
    const dead = [".old.backup.0123456789ab.partial", ".old.backup.0123456789ab.partial-journal"];
    const live = ".other.backup.ba9876543210.partial";
    for (const name of [...dead, live, ".foreign.partial"]) writeFileSync(join(folder, name), "people's data");
    const release = lockFile(claimOf(join(folder, live)));
    await answer(["db", "backup", join(folder, "new.backup")], { cwd });
    const left = readdirSync(folder).filter((name) => !name.startsWith(claimOf(live)));
    expect(left.toSorted()).toEqual([".foreign.partial", live, "new.backup"].toSorted());
    release?.();
  });

  it("a backup whose name somebody else has locked takes another name", async () => {
    const { cwd, file } = oldDatabase();
    await answer(["app", "list"], { cwd });
    const folder = emptyFolder();
    const backup = join(folder, "a.backup");
    const names = [Buffer.alloc(6, 1), Buffer.alloc(6, 2)];
    const taken = claimOf(partialOf(backup, Buffer.alloc(6, 1).toString("hex")));
    const release = lockFile(taken);
    const snapshot = await openSqliteSnapshot(file);
    if (!snapshot) throw new Error("no snapshot");
    const seen: string[] = [];
    const random = (): Uint8Array => names.shift() ?? Buffer.alloc(6);
    await writeBackup(snapshot, backup, { now: 0, random }, () => seen.push(...readdirSync(folder)));
    expect(seen).toContain(".a.backup.020202020202.partial");
    expect(seen).not.toContain(".a.backup.010101010101.partial");
    expect(existsSync(taken)).toBe(true);
    release?.();
    await snapshot.close();
    expect(readdirSync(folder)).toEqual(["a.backup"]);
  });

  it("a symbolic link in place of a lock is refused, also one that leads nowhere", () => {
    const folder = emptyFolder();
    const lock = join(folder, "a.lock");
    symlinkSync(join(folder, "nowhere"), lock);
    const refused = expect.objectContaining({ code: "UNUSABLE_STORAGE", message: expect.stringContaining(lock) });
    expect(() => lockFile(lock)).toThrow(refused as Error);
    expect(readdirSync(folder)).toEqual(["a.lock"]);
  });

  it("a private file is whole under its name, replaces nothing that it may not, and leaves nothing beside it", () => {
    const folder = emptyFolder();
    const file = join(folder, "a.key");
    writePrivately(file, "one", "new");
    expect(() => writePrivately(file, "two", "new")).toThrow(expect.objectContaining({ code: "EEXIST" }) as Error);
    expect(readFileSync(file, "utf8")).toBe("one");
    writePrivately(file, "three", "replace");
    expect(readFileSync(file, "utf8")).toBe("three");
    if (process.getuid?.() === 0) {
      // Of the service's own user, when root runs a command.
      chownSync(file, 12_345, 12_345);
      writePrivately(file, "four", "replace");
      expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 12_345 });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      // A link in place of the file must not say whose the new one is.
      const link = join(folder, "link.key");
      symlinkSync(file, link);
      writePrivately(link, "five", "replace");
      expect(lstatSync(link).uid).toBe(0);
      expect(readFileSync(file, "utf8")).toBe("four");
      rmSync(link);
    }
    expect(readdirSync(folder)).toEqual(["a.key"]);
    rmSync(file);
  });
});
