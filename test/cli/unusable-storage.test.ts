import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { testMasterKey } from "../support/service.ts";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

/** Without the log, in which a service warns of the weak hashes of these tests. */
const complaintOf = ({ stderr }: { stderr: string }): string => stderr.replaceAll(/^\{"level":"warn".*\n/gmu, "");

describe("a command that cannot use its storage says why in one line", () => {
  let cwd = "";
  const folder = emptyFolder();
  beforeAll(async () => {
    cwd = folder;
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
  });

  async function expectLine(line: RegExp, code: number, args = ["app", "list"], env = {}): Promise<void> {
    const failed = await authsvc(args, { cwd, env });
    expect(failed).toMatchObject({ code, stdout: "" });
    expect(complaintOf(failed)).toMatch(line);
    expect(complaintOf(failed)).toMatch(/^authsvc: [^\n]*\n$/u);
  }

  test.skipIf(process.platform === "win32").each([
    ["data", 0o770, 0o700],
    ["data", 0o702, 0o700],
    ["data/authsvc.db", 0o620, 0o600],
    ["data/master.key", 0o602, 0o600],
  ])("what other users of the machine can change: %s (%o)", async (path, open, closed) => {
    await answer(["signing-key", "list"], { cwd });
    chmodSync(join(cwd, path), open);
    for (const command of [
      ["signing-key", "list"],
      ["serve", "--port", "0"],
    ])
      await expectLine(/can be changed by other users of this machine: chmod go-w \S+$/mu, 2, command);
    const doctor = await authsvc(["doctor"], { cwd });
    expect(doctor.stdout).toContain(`chmod go-w ${join(cwd, path)}`);
    const { stderr } = await authsvc(["signing-key", "list"], { cwd });
    const [, command = ""] = /: (chmod .*)\n$/u.exec(stderr) ?? [];
    execFileSync("sh", ["-c", command]);
    await answer(["signing-key", "list"], { cwd });
    chmodSync(join(cwd, path), closed);
  });

  test.skipIf(process.platform === "win32")(
    "a master key file of the configuration that others can change",
    async () => {
      writeFileSync(join(cwd, "own.key"), testMasterKey, { mode: 0o600 });
      chmodSync(join(cwd, "own.key"), 0o660);
      const line =
        /AUTHSVC_MASTER_KEY_FILE: the file \S+own\.key can be changed by other users of this machine: chmod go-w/u;
      await expectLine(line, 2, ["app", "list"], { AUTHSVC_MASTER_KEY_FILE: "own.key" });
    },
  );

  test
    .runIf(process.platform === "linux")
    .each(["/proc/nope", "/proc/nope/deeper", "/dev/null", "/dev/null/x", "file"])(
    "a data folder that cannot be one: %s",
    async (folder) => {
      const place = emptyFolder();
      writeFileSync(join(place, "file"), "");
      for (const args of [
        ["app", "list"],
        ["serve", "--port", "0"],
        [
          "init",
          "--base-url",
          "http://localhost:8080",
          "--app-name",
          "X",
          "--redirect-uri",
          "http://localhost:3000/cb",
        ],
      ]) {
        const failed = await authsvc([...args, "--data", folder], { cwd: place });
        // init looks at what it is told before anything else: what no folder can be is a wrong
        // answer there.
        expect([args, failed.stdout]).toEqual([args, ""]);
        expect(args[0] === "init" ? [1, 2] : [1]).toContain(failed.code);
        expect(complaintOf(failed)).toMatch(
          /^authsvc: (?:The folder .* (?:is not a folder|cannot be created).*--data|--data must be the path of a folder.*)\n$/u,
        );
      }
    },
  );
});
