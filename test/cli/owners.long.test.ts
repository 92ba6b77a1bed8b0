import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { barestEnvironment, program } from "../support/program.ts";
import { emptyFolder } from "./command.ts";
import { answer } from "./in-process.ts";

describe.skipIf(process.getuid?.() !== 0)("a data folder of the service's own user", () => {
  const user = 12_345;
  const asUser = (args: string[], cwd: string) =>
    spawnSync(program[0], [...program.slice(1), ...args], {
      cwd,
      uid: user,
      gid: user,
      env: barestEnvironment(cwd),
      encoding: "utf8",
    });

  test("that root has copied is named with its owner, and with the command that repairs it", async () => {
    const cwd = folderForAll();
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    await answer(["db", "backup", "a.backup"], { cwd });
    chownSync(join(cwd, "data"), user, user);
    const data = join(cwd, "data");
    const repair = new RegExp(
      `${data}\\S* belongs to user 0 \\(root\\), and this is user ${user}: chown -R ${user} ${data}`,
      "u",
    );
    const read = (args: string[]) => {
      const { status, stdout, stderr } = asUser(args, cwd);
      expect([args, stdout, status]).toEqual([args, "", 1]);
      expect(stderr).toMatch(repair);
      expect(stderr).not.toMatch(/TMPDIR|unable to open/u);
    };
    for (const args of [
      ["app", "list"],
      ["serve", "--port", "0"],
      ["db", "status"],
      ["db", "check"],
      ["db", "migrate", "--dry-run"],
      ["signing-key", "list"],
    ])
      read(args);
    expect(asUser(["doctor"], cwd).stdout).toMatch(repair);
    for (const name of readdirSync(data).filter((each) => each.startsWith("authsvc.db")))
      chownSync(join(data, name), user, user);
    const keyOnly = asUser(["signing-key", "list"], cwd);
    expect(keyOnly.stderr).toMatch(new RegExp(`master key ${data}/master.key cannot be read: .*${repair.source}`, "u"));
    chownSync(data, 0, 0);
    read(["app", "list"]);
    execFileSync("sh", ["-c", `chown -R ${user} ${data}`]);
    expect(asUser(["app", "list"], cwd)).toMatchObject({ status: 0 });
  });

  test("gets what root makes in it: the database, its key, and the copies of a restore", async () => {
    const cwd = folderForAll();
    mkdirSync(join(cwd, "data"), { mode: 0o700 });
    chownSync(join(cwd, "data"), user, user);
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    await answer(["db", "backup", "a.backup"], { cwd });
    await answer(["db", "restore", "a.backup", "--yes"], { cwd });
    const owners = () => readdirSync(join(cwd, "data")).map((name) => [name, statSync(join(cwd, "data", name)).uid]);
    expect(owners().filter(([name]) => String(name).includes("before-restore"))).toHaveLength(1);
    expect(owners().filter(([, uid]) => uid !== user)).toEqual([]);
    rmSync(join(cwd, "data/authsvc.db"));
    await answer(["db", "restore", "a.backup", "--yes"], { cwd });
    expect(owners().filter(([, uid]) => uid !== user)).toEqual([]);
    expect(asUser(["app", "list"], cwd)).toMatchObject({ status: 0 });
  });

  function folderForAll(): string {
    const cwd = emptyFolder();
    chmodSync(cwd, 0o755);
    return cwd;
  }
});
