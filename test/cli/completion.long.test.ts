import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { shellProgram } from "../support/program.ts";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

/**
 * Completes command lines as bash does at the end of them: the words broken at its own characters,
 * then the registered function.
 */
const driver = String.raw`
source "$1"; shift
for line in "$@"; do
  COMP_LINE=$line COMP_POINT=${"${#line}"} COMP_WORDS=() word=''
  for ((i = 0; i < ${"${#line}"}; i++)); do
    c=${"${line:i:1}"}
    case $c in
      ' ') [[ -n $word ]] && COMP_WORDS+=("$word"); word='' ;;
      = | : | @) [[ -n $word ]] && COMP_WORDS+=("$word"); COMP_WORDS+=("$c"); word='' ;;
      *) word+=$c ;;
    esac
  done
  COMP_WORDS+=("$word") COMP_CWORD=$((${"${#COMP_WORDS[@]}"} - 1)) COMPREPLY=()
  name=$(complete -p authsvc | sed 's/.*-F \([^ ]*\).*/\1/')
  "$name" authsvc
  printf '%s\n' "${"${COMPREPLY[*]}"}"
done`;

describe.skipIf(process.platform === "win32")("the completion of bash", () => {
  const cwd = emptyFolder();
  let ada = "";

  beforeAll(async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    await answer(["app", "create", "--name", "Ship", "--id", "app_ship"], { cwd });
    const created = await answer(["user", "create", "--app", "app_shop", "--email", "ada@example.com"], { cwd });
    ada = (created as { id: string }).id;
    await answer(["user", "create", "--app", "app_shop", "--email", "bob@example.com"], { cwd });
    await answer(["client", "create", "--app", "app_shop", "--name", "gitea", "--id", "gitea"], { cwd });
    writeFileSync(join(cwd, "completion.bash"), (await authsvc(["completion", "bash"], { cwd })).stdout);
    mkdirSync(join(cwd, "bin"));
    writeFileSync(join(cwd, "bin/authsvc"), `#!/bin/sh\nexec ${shellProgram} "$@"\n`);
    chmodSync(join(cwd, "bin/authsvc"), 0o755);
  });

  async function complete(...lines: string[]): Promise<string[]> {
    const { stdout, stderr } = await promisify(execFile)("bash", ["-c", driver, "bash", "completion.bash", ...lines], {
      cwd,
      env: { PATH: `${join(cwd, "bin")}:${process.env["PATH"] ?? ""}`, HOME: cwd },
    });
    expect(stderr).toBe("");
    return stdout.slice(0, -1).split("\n");
  }

  test("knows commands, flags, and the words that a flag takes", async () => {
    const expected: Record<string, string> = {
      "authsvc sig": "signing-key",
      "authsvc signing-key ": "list rotate revoke help",
      "authsvc app update app_shop --pass": "--passkey-required --password-min-length",
      "authsvc app update app_shop --sign-up ": "open closed",
      "authsvc app update app_shop --sign-up=o": "open",
      "authsvc --json app sh": "show",
      "authsvc --config x.yaml app sh": "show",
      "authsvc app provider set app_shop g": "google github",
      "authsvc completion f": "fish",
      "authsvc key revoke x": "",
      "authsvc app create --name ": "",
      "authsvc --data bi": "bin",
      "authsvc key create --api-key-file completion.b": "completion.bash",
    };
    expect(await complete(...Object.keys(expected))).toEqual(Object.values(expected));
    const [all] = await complete("authsvc ");
    expect(all?.split(" ")).toEqual(expect.arrayContaining(["serve", "app", "user", "token", "config", "completion"]));
    expect(all).not.toContain("completion-values");
  });

  test("knows App IDs, clients, users and addresses, also those of another data folder", async () => {
    const expected: Record<string, string> = {
      "authsvc user list --app=app_sho": "app_shop",
      "authsvc user show ada": ada,
      "authsvc client secret rotate gi": "gitea",
      "authsvc client show gitea --for oa": "oauth2-proxy",
      "authsvc user list --email bob@ex": "example.com",
      "authsvc --data nowhere app show app_": "",
    };
    expect(await complete(...Object.keys(expected))).toEqual(Object.values(expected));
    expect(existsSync(join(cwd, "nowhere"))).toBe(false);
  });
});

describe("what the scripts ask for", () => {
  const cwd = emptyFolder();
  const values = async (...args: string[]) => await authsvc(["completion-values", ...args], { cwd });

  test("is at most 50 names, with what they stand for", async () => {
    for (let number = 0; number < 60; number += 1) await answer(["app", "create", "--name", `App ${number}`], { cwd });
    const { stdout } = await values("apps");
    expect(stdout.trimEnd().split("\n")).toHaveLength(50);
    expect(stdout).toMatch(/^app_\w+\tApp \d+$/mu);
    expect((await values("apps", "%")).stdout).toBe("");
  });

  test("is nothing at all, without a word, where there is no database or a wrong configuration", async () => {
    const elsewhere = emptyFolder();
    const nothing = { code: 0, signal: null, stdout: "", stderr: "" };
    expect(await authsvc(["completion-values", "apps"], { cwd: elsewhere })).toEqual(nothing);
    expect(await authsvc(["completion-values", "users", "a", "--config", "none"], { cwd: elsewhere })).toEqual(nothing);
    const env = { AUTHSVC_DATABASE__URL: "postgres://u@127.0.0.1:1/x" };
    expect(await authsvc(["completion-values", "emails", "a"], { cwd: elsewhere, env })).toEqual(nothing);
    expect(existsSync(join(elsewhere, "data"))).toBe(false);
  });

  test.each(["bash", "zsh", "fish"])("the script for %s names every command, and no hidden one", async (shell) => {
    const { code, stdout } = await authsvc(["completion", shell], { cwd });
    expect(code).toBe(0);
    for (const name of ["signing-key", "revoke-logins", "--password-min-length", "app provider set"]) {
      expect(stdout.replaceAll("-l password", "--password")).toContain(name);
    }
    expect(await answer(["completion", shell], { cwd })).toEqual({ shell, script: stdout });
  });

  test("a shell that is not known is refused with 2", async () => {
    expect(await authsvc(["completion", "tcsh"], { cwd })).toMatchObject({ code: 2, stdout: "" });
    expect(await authsvc(["completion"], { cwd })).toMatchObject({
      code: 2,
      stderr: "authsvc: SHELL is missing: Shell (bash, zsh, fish)\n",
    });
  });
});
