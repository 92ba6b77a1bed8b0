import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { authsvc, emptyFolder } from "../cli/command.ts";
import { expectNoDebugger } from "../support/debugger.ts";
import { program } from "../support/program.ts";

const [file] = program;
const deploy = join(import.meta.dirname, "../../deploy");

describe.skipIf(process.platform !== "linux")("SIGUSR1 opens no debugger, and the service continues", () => {
  test("started by the command line of the systemd unit", async () => {
    const unit = readFileSync(join(deploy, "systemd/authsvc.service"), "utf8");
    const [, line = ""] = /^ExecStart=(.*)$/mu.exec(unit) ?? [];
    await expectNoDebugger(installed(line.replace("/etc/authsvc/config.yaml", "config.example.yaml").split(" ")));
  });

  test("started by the command line of the container's image", async () => {
    const image = readFileSync(join(deploy, "docker/Dockerfile"), "utf8");
    const words = (name: string): string[] =>
      JSON.parse(new RegExp(`^${name} (.*)$`, "mu").exec(image)?.[1] ?? "") as string[];
    await expectNoDebugger(installed([...words("ENTRYPOINT"), ...words("CMD")]));
  });

  test("and neither does NODE_OPTIONS", async () => {
    await expectNoDebugger([file, "serve"], { NODE_OPTIONS: "--inspect=127.0.0.1:0" });
  });
});

test("NODE_OPTIONS is not honoured", async () => {
  const env = { NODE_OPTIONS: "--no-such-flag" };
  expect(await authsvc(["version"], { cwd: emptyFolder(), env })).toMatchObject({ code: 0, stderr: "" });
});

/** The executable of the tests in the place of the installed one. */
function installed([path, ...args]: string[]): string[] {
  expect(path).toBe("/usr/local/bin/authsvc");
  return [file, ...args];
}
