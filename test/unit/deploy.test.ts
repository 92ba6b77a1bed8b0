import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { settingsByKey } from "../../src/config/settings.ts";
import { createInstruments } from "../../src/metrics/instruments.ts";
import { noProgram } from "../support/left-out.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const unit = read("deploy/systemd/authsvc.service");

describe("what deploy/ says is true of the program", () => {
  test("a wrong configuration is not started again, and the unit waits longer than stopping takes", () => {
    expect(unit).toContain("\nRestartPreventExitStatus=2\n");
    expect(Number(/^TimeoutStopSec=(\d+)$/mu.exec(unit)?.[1])).toBeGreaterThan(10);
  });

  test("every variable of the examples is a setting", () => {
    const known = new Set([...settingsByKey.values()].flatMap(({ variable }) => [variable, `${variable}_FILE`]));
    const files = [
      "deploy/docker/Dockerfile",
      "deploy/docker/compose.yaml",
      "deploy/helm/authsvc/templates/deployment.yaml",
      "deploy/helm/authsvc/values.yaml",
      "deploy/systemd/authsvc.service",
    ];
    const used = files.flatMap((file) => read(file).match(/AUTHSVC_[A-Z_]+/gu) ?? []);
    expect(used.length).toBeGreaterThan(5);
    // Read before there is a configuration: where native modules are unpacked.
    known.add("AUTHSVC_NATIVE_DIR");
    // Of Kubernetes, in a comment that says why they are off.
    known.add("AUTHSVC_PORT");
    for (const variable of used) expect(known).toContain(variable);
  });

  test("the YAML files can be read", () => {
    expect(parse(read("deploy/docker/compose.yaml"))).toMatchObject({ services: { authsvc: { read_only: true } } });
    expect(parse(read("deploy/litestream/litestream.yml"))).toMatchObject({
      dbs: [{ path: expect.any(String) as string }],
    });
  });

  test("docs/deploying.md lists every metric, and none that is not there", async () => {
    const names = (await createInstruments().registry.getMetricsAsJSON()).map(({ name }) => name);
    const own = names.filter((name) => name.startsWith("authsvc_"));
    const page = read("docs/deploying.md");
    // `…_waiting` stands for the name beside it.
    const listed = page.replace("`…_waiting`", "`authsvc_password_hashes_waiting`");
    for (const name of own) expect(listed).toContain(`\`${name}\``);
    for (const [, name = ""] of listed.matchAll(/\b(authsvc_\w+?)(?:_count|_bucket)?\b(?=[`{[ ])/gu))
      expect(own).toContain(name);
  });
});

const noSystemd = noProgram("systemd-analyze");

test("systemd accepts the unit, and finds little to attack (1.5 at most)", ({ skip }) => {
  skip(noSystemd !== undefined, noSystemd);
  const folder = mkdtempSync(path.join(tmpdir(), "authsvc-unit-"));
  const copy = path.join(folder, "authsvc.service");
  const socket = path.join(folder, "authsvc.socket");
  // Executable and user need not be there on the machine of the test.
  writeFileSync(copy, unit.replace("/usr/local/bin/authsvc", process.execPath).replace("User=authsvc", "User=root"));
  writeFileSync(socket, read("deploy/systemd/authsvc.socket"));
  try {
    expect(
      execFileSync("systemd-analyze", ["verify", "--man=no", socket, copy], { encoding: "utf8", stdio: "pipe" }),
    ).toBe("");
    writeFileSync(copy, unit);
    const report = execFileSync("systemd-analyze", ["security", "--offline=yes", copy], {
      encoding: "utf8",
      stdio: "pipe",
    });
    const exposure = Number(/Overall exposure level for authsvc\.service: ([\d.]+)/u.exec(report)?.[1]);
    expect(exposure).toBeLessThanOrEqual(1.5);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the unit's filter lets the threads that hash give way", ({ skip }) => {
  skip(noSystemd !== undefined, noSystemd);
  const allowed = new Set<string>();
  // In the order of the lines, as systemd adds and removes them.
  for (const [, without, names = ""] of unit.matchAll(/^SystemCallFilter=(~?)(.+)$/gmu)) {
    for (const name of names.split(" ").flatMap(systemCallsOf)) {
      if (without) allowed.delete(name);
      else allowed.add(name);
    }
  }
  expect(["read", "setpriority", "sched_setscheduler"].filter((name) => allowed.has(name))).toEqual([
    "read",
    "setpriority",
  ]);
});

describe.skipIf(process.platform === "win32")("authsvcctl runs a command as the unit runs the service", () => {
  const wrapper = read("deploy/systemd/authsvcctl");
  const stub = `#!/bin/sh\nprintf '%s\\0' "$@" > "$STUB_FILE"\nexit 5\n`;
  const folder = mkdtempSync(path.join(tmpdir(), "authsvcctl-"));
  writeFileSync(path.join(folder, "systemd-run"), stub, { mode: 0o755 });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What it passes to `systemd-run`, which ends with 5: its options, and the command. */
  function passedOn(args: string[], key: string): { status: number | null; options: string[]; command: string[] } {
    const env = { PATH: `${folder}:${process.env["PATH"]}`, STUB_FILE: path.join(folder, "passed") };
    const script = wrapper
      .replace("/etc/credstore.encrypted/authsvc.master-key", key)
      .replace("/run/systemd/system", folder);
    const { status } = spawnSync("sh", ["-c", script, "authsvcctl", ...args], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const words = readFileSync(env.STUB_FILE, "utf8").split("\0").slice(0, -1);
    const start = words.indexOf("/usr/local/bin/authsvc");
    return { status, options: words.slice(0, start), command: words.slice(start) };
  }

  test("with each argument as it is, and the exit code", () => {
    const args = ["app", "create", "--name", `A "shop" of 'two'  words\nand \\ * $HOME \${HOME} %n`, "", "--", "-x"];
    const { status, command } = passedOn(args, "/nonexistent");
    expect(status).toBe(5);
    // systemd makes one dollar of two.
    expect(command.map((word) => word.replaceAll("$$", "$"))).toEqual(["/usr/local/bin/authsvc", ...args]);
    expect(command.join("").match(/\$/gu)).toHaveLength(4);
  });

  test("with the user, the folders and the configuration of the unit, and its master key if there is one", () => {
    const { options } = passedOn(["doctor"], "/nonexistent");
    expect(options).toEqual(expect.arrayContaining(["--pipe", "--wait", "--property=User=authsvc"]));
    const same = options.flatMap((option) => /^--property=(?!User=)(.*)$/u.exec(option)?.[1] ?? []);
    expect(same.length).toBeGreaterThan(4);
    for (const line of same) expect(unit).toContain(`\n${line}\n`);
    const variables = options.flatMap((option) => /^--setenv=(.*)$/u.exec(option)?.[1] ?? []);
    expect(variables).toEqual([
      /^Environment=(.*)$/mu.exec(unit)?.[1],
      `AUTHSVC_CONFIG=${/ --config (\S+)$/mu.exec(unit)?.[1]}`,
    ]);

    const key = path.join(folder, "master-key");
    writeFileSync(key, "");
    const withKey = passedOn(["doctor"], key).options.filter((option) => option.toLowerCase().includes("master"));
    expect(withKey).toEqual([`--property=LoadCredentialEncrypted=master-key:${key}`]);
    // By its name, the unit finds it in that folder, and starts without it as well.
    expect(unit).toContain("\nLoadCredentialEncrypted=master-key:authsvc.master-key\n");
    expect(wrapper).toContain("\nkey=/etc/credstore.encrypted/authsvc.master-key\n");
  });

  test("without systemd as its user, or it says what to run instead", () => {
    const stubs = mkdtempSync(path.join(folder, "stubs-"));
    const put = (name: string, text: string) => writeFileSync(path.join(stubs, name), text, { mode: 0o755 });
    const runIn = (args: string[]) =>
      spawnSync("/bin/sh", ["-c", wrapper.replace("/run/systemd/system", "/nonexistent"), "authsvcctl", ...args], {
        env: { PATH: stubs },
        encoding: "utf8",
      });
    put("id", "#!/bin/sh\nexit 1\n");
    expect(runIn(["app", "list"])).toMatchObject({
      status: 1,
      stdout: "",
      stderr:
        "authsvcctl: systemd does not run here, and there is no user authsvc. As the user that runs authsvc serve, with its files: authsvc --config FILE --data FOLDER app list\n",
    });
    put("id", "#!/bin/sh\n");
    put("env", '#!/bin/sh\nexec /usr/bin/env "$@"\n');
    put("setpriv", `#!/bin/sh\nprintf '%s|' "$AUTHSVC_DATA" "$AUTHSVC_CONFIG" "$PWD" "$@"\nexit 5\n`);
    const { status, stdout } = runIn(["app", "create", "--name", "A $HOME 'shop'"]);
    expect(status).toBe(5);
    expect(stdout.split("|").slice(0, -1)).toEqual([
      "/var/lib/authsvc",
      "/etc/authsvc/config.yaml",
      "/",
      "--reuid=authsvc",
      "--regid=authsvc",
      "--clear-groups",
      "/usr/local/bin/authsvc",
      "app",
      "create",
      "--name",
      "A $HOME 'shop'",
    ]);
  });

  test("and has nothing that shellcheck warns about", ({ skip }) => {
    const missing = noProgram("shellcheck");
    skip(missing !== undefined, missing);
    const { stdout } = spawnSync("shellcheck", ["-"], { input: wrapper, encoding: "utf8" });
    expect(stdout).toBe("");
  });
});

/** What a name of a filter stands for: itself, or a set, which may hold other sets. */
function systemCallsOf(name: string): string[] {
  if (!name.startsWith("@")) return [name];
  const listing = execFileSync("systemd-analyze", ["syscall-filter", name], { encoding: "utf8" });
  return [...listing.matchAll(/^ +([@\w-]+)$/gmu)].flatMap(([, each = ""]) => systemCallsOf(each));
}
