import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeDeb } from "../../scripts/release/deb.ts";
import { makeRpm } from "../../scripts/release/rpm.ts";
import type { Release } from "../../scripts/release/release.ts";
import { finish, outputOf, type Finished } from "../cli/command.ts";
import { startIn } from "../support/bare-root.ts";
import { noPackageRoot, packageRoot } from "../support/package-root.ts";
import { program } from "../support/program.ts";
import { smallProgram, packageRelease } from "../support/release.ts";
import { noProgram } from "../support/left-out.ts";

/** Only ends what hangs: compressing takes half a minute on a busy machine, lintian a whole one. */
const timeout = 1_200_000;
const data = "/var/lib/authsvc";

type Outcome = { status: number | null; said: string };
type Manager = {
  tool: string;
  make: (release: Release) => Promise<void>;
  /** Also replaces another version. */
  install: (root: string, file: string) => Outcome;
  remove: (root: string) => Outcome;
  /** Where the edited configuration is after a removal. */
  keptConfiguration: string;
};

const dpkg: Manager = {
  tool: "dpkg",
  make: makeDeb,
  install: (root, file) => {
    copyFileSync(file, join(root, "tmp", basename(file)));
    return runDpkg(root, ["--install", `/tmp/${basename(file)}`]);
  },
  remove: (root) => runDpkg(root, ["--remove", "authsvc"]),
  keptConfiguration: "/etc/authsvc/config.yaml",
};

const rpm: Manager = {
  tool: "rpm",
  make: makeRpm,
  // RPM does not know the packages of Debian.
  install: (root, file) => run("rpm", ["--root", root, "--upgrade", "--oldpackage", "--nodeps", file]),
  remove: (root) => run("rpm", ["--root", root, "--erase", "authsvc"]),
  keptConfiguration: "/etc/authsvc/config.yaml.rpmsave",
};

/** Packages with the executable that is tested: they take a while to compress. */
const made = new Map<Manager, Promise<Release>>();

describe.each([dpkg, rpm])("a package for $tool", (manager) => {
  const { tool, make, install, remove, keptConfiguration } = manager;
  test("keeps configuration and data when it is replaced, downgraded and removed", { timeout }, async ({ skip }) => {
    const reason = noPackageRoot(tool);
    skip(reason !== undefined, reason);
    const version = await madeOnce(manager);
    const next = packageRelease("1.1.0", smallProgram);
    await make(next);
    const root = packageRoot();
    const place = (file: string): string => join(root, file);

    const installed = install(root, packageOf(version));
    expect(installed).toMatchObject({ status: 0 });
    expect(installed.said).toContain("does not run yet");
    expect(installed.said).toContain("systemctl enable --now authsvc");
    expect(existsSync(place("/etc/systemd/system/multi-user.target.wants/authsvc.service"))).toBe(false);
    const { uid, gid, mode } = statSync(place(data));
    expect(readFileSync(place("/etc/passwd"), "utf8")).toContain(`authsvc:x:${uid}:${gid}:`);
    expect((mode & 0o777).toString(8)).toBe("700");
    const unit = readFileSync(place("/usr/lib/systemd/system/authsvc.service"), "utf8");
    expect(unit).toContain("\nExecStart=/usr/bin/authsvc serve --config /etc/authsvc/config.yaml\n");

    const configuration = statSync(place("/etc/authsvc/config.yaml"));
    expect([configuration.gid, (configuration.mode & 0o777).toString(8)]).toEqual([gid, "640"]);
    const edited = "listen:\n  port: 0\n";
    writeFileSync(place("/etc/authsvc/config.yaml"), edited);
    const started = serve(root, `${uid}:${gid}`);
    await outputOf(started.service, /listening on/u);
    started.service.kill("SIGTERM");
    expect(await started.ended).toMatchObject({ code: 0 });
    expect(readdirSync(place(data))).toEqual(expect.arrayContaining(["authsvc.db", "master.key"]));

    const upgraded = install(root, packageOf(next));
    expect(upgraded).toMatchObject({ status: 0 });
    expect(upgraded.said).not.toContain("does not run yet");
    expect(readFileSync(place("/usr/bin/authsvc"))).toEqual(readFileSync(smallProgram));
    expect(readFileSync(place("/etc/authsvc/config.yaml"), "utf8")).toBe(edited);

    const database = new Database(place(`${data}/authsvc.db`));
    database.prepare("INSERT INTO migrations VALUES ('9999_future', 'x', 0, '1.1.0')").run();
    database.close();
    const newer = readFileSync(place(`${data}/authsvc.db`));
    expect(install(root, packageOf(version))).toMatchObject({ status: 0 });
    const refused = await serve(root, `${uid}:${gid}`).ended;
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(
      "The database is newer than this program: authsvc 1.1.0 migrated it (9999_future)",
    );
    expect(readFileSync(place(`${data}/authsvc.db`)).equals(newer)).toBe(true);
    expect(readFileSync(place("/etc/authsvc/config.yaml"), "utf8")).toBe(edited);

    expect(remove(root)).toMatchObject({ status: 0 });
    expect(existsSync(place("/usr/bin/authsvc"))).toBe(false);
    expect(readFileSync(place(keptConfiguration), "utf8")).toBe(edited);
    expect(existsSync(place(`${data}/authsvc.db`))).toBe(true);
  });

  test("says what to run where there is no systemd", { timeout }, async ({ skip }) => {
    const reason = noPackageRoot(tool);
    skip(reason !== undefined, reason);
    const release = packageRelease("1.0.0", smallProgram);
    await make(release);
    const root = packageRoot();
    rmSync(join(root, "usr/bin/systemd-sysusers"));
    const installed = install(root, packageOf(release));
    expect(installed).toMatchObject({ status: 0 });
    expect(installed.said).toContain("There is no systemd here, so nothing starts it.");
    expect(installed.said).not.toContain("systemctl");
    const { status, said } = run("/usr/sbin/chroot", [root, "/usr/bin/authsvcctl", "app", "list"], {
      PATH: "/usr/bin:/bin",
    });
    expect([status, said]).toEqual([1, expect.stringMatching(/^authsvcctl: systemd does not run here.* app list\n$/u)]);
  });

  test("is the same file each time, and needs only libc, libstdc++ and libgcc", async ({ skip }) => {
    const [first, second] = [packageRelease("1.0.0-rc.1", smallProgram), packageRelease("1.0.0-rc.1", smallProgram)];
    for (const release of [first, second]) await make(release);
    const names = readdirSync(first.folder);
    expect(names).toHaveLength(2);
    for (const name of names)
      expect(readFileSync(join(second.folder, name)).equals(readFileSync(join(first.folder, name)))).toBe(true);

    const reason = noPackageRoot(tool);
    skip(reason !== undefined, reason);
    const query = tool === "rpm" ? ["rpm", "-qRp"] : ["dpkg-deb", "--field"];
    const asked = names.map((name) => run(query[0] ?? "", [query[1] ?? "", join(first.folder, name)]).said);
    const needed = asked.flatMap((said) =>
      tool === "rpm" ? said.split("\n") : (/^Depends: (.*)$/mu.exec(said)?.[1]?.split(", ") ?? []),
    );
    expect(needed.length).toBeGreaterThan(5);
    const promised =
      /^(?:lib(?:c|m|dl|pthread|rt|stdc\+\+|gcc_s)\.so\.|ld-linux|lib(?:c6|gcc-s1|stdc\+\+6) |rpmlib\(|\/bin\/sh$|$)/u;
    expect(needed.filter((name) => !promised.test(name))).toEqual([]);
  });
});

describe(`purging the Debian package`, () => {
  const cases: [how: string, input: string, frontend: string, isKept: boolean][] = [
    ["keeps the data if nobody answers", "", "noninteractive", true],
    ["keeps the data if the answer is no", "no\n", "teletype", true],
    ["deletes the data if the answer is yes", "yes\n", "teletype", false],
    ["keeps the data where there is no debconf", "", "", true],
  ];
  const reason = noPackageRoot("dpkg");
  test.skipIf(reason !== undefined).each(cases)("%s", async (_, input, frontend, isKept) => {
    const root = packageRoot();
    const release = packageRelease("1.0.0", smallProgram);
    await makeDeb(release);
    expect(dpkg.install(root, packageOf(release))).toMatchObject({ status: 0 });
    writeFileSync(join(root, data, "authsvc.db"), "data");
    if (frontend === "") rmSync(join(root, "usr/share/debconf/confmodule"));
    expect(runDpkg(root, ["--purge", "authsvc"], frontend, input)).toMatchObject({ status: 0 });
    expect(existsSync(join(root, "etc/authsvc"))).toBe(false);
    expect(existsSync(join(root, data, "authsvc.db"))).toBe(isKept);
  });
});

test("lintian finds no error in the Debian package", { timeout }, async ({ skip }) => {
  const missing = noProgram("lintian");
  skip(missing !== undefined, missing);
  const { status, said } = run("lintian", ["--allow-root", "--fail-on", "error", packageOf(await madeOnce(dpkg))]);
  expect([status, said]).toEqual([0, ""]);
});

async function madeOnce(manager: Manager): Promise<Release> {
  const release = packageRelease("1.0.0", program[0]);
  const making = made.get(manager) ?? manager.make(release).then(() => release);
  made.set(manager, making);
  return await making;
}

/** Of this machine's architecture. */
function packageOf({ folder }: Release): string {
  const architecture = process.arch === "x64" ? /amd64|x86_64/u : /arm64|aarch64/u;
  return join(folder, readdirSync(folder).find((name) => architecture.test(name)) ?? "");
}

function runDpkg(root: string, args: string[], frontend = "noninteractive", input = ""): Outcome {
  const env = { PATH: "/usr/sbin:/usr/bin", DEBIAN_FRONTEND: frontend };
  return run("/usr/sbin/chroot", [root, "/usr/bin/dpkg", ...args], env, input);
}

function run(command: string, args: string[], env = process.env, input = ""): Outcome {
  const { status, stdout, stderr, error } = spawnSync(command, args, { env, input, encoding: "utf8" });
  if (error !== undefined) throw error;
  return { status, said: stdout + stderr };
}

/** As the unit starts it. */
function serve(root: string, user: string): { service: ReturnType<typeof startIn>; ended: Promise<Finished> } {
  const command = ["/usr/bin/authsvc", "serve", "--config", "/etc/authsvc/config.yaml"];
  const service = startIn(root, command, { user, env: { AUTHSVC_DATA: data } });
  onTestFinished(() => void service.kill("SIGKILL"));
  return { service, ended: finish(service) };
}
