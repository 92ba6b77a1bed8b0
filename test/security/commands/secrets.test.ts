import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { allSettings } from "../../../src/config/settings.ts";
import { emptyFolder, finish, outputOf, start } from "../../cli/command.ts";
import { answer, authsvc } from "../../cli/in-process.ts";
import { allCommands, newProgram } from "../../cli/program-commands.ts";
import { placeOf } from "../../cli/service-place.ts";
import { runSql } from "../../cli/sql.ts";
import { call } from "../../support/person.ts";
import { describeSqliteFirst } from "../../support/service.ts";
import { localWebhooks } from "../../support/webhooks.ts";

const example = join(import.meta.dirname, "../../../config.example.yaml");
const isPosix = process.platform !== "win32";
const started: ReturnType<typeof start>[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** The example with the lines of these settings no longer commented out. */
function exampleWith(names: string[]): string {
  const text = readFileSync(example, "utf8");
  return names.reduce((said, name) => {
    const line = new RegExp(`^( *)#(${name}: )`, "mu");
    expect([name, line.test(said)]).toEqual([name, true]);
    return said.replace(line, "$1$2");
  }, text);
}

describe("a new installation", () => {
  it("X1: no secret has a default, and the example that is shipped sets none", () => {
    const secrets = allSettings.filter(({ doc }) => doc.secret);
    expect(secrets.map(({ key }) => key)).toEqual(["database.url", "masterKey", "mail.smtpUrl"]);
    for (const { defaultValue } of secrets) expect(defaultValue).toBeUndefined();
    const set = readFileSync(example, "utf8")
      .split("\n")
      .filter((line) => /^ *[\w]+: *\S/u.test(line));
    expect(set).toEqual([]);
  });

  it("X1: with the sample of a secret from the shipped example, the service does not start", async () => {
    for (const names of [
      ["masterKey"],
      ["masterKeyFile"],
      ["url", "masterKey"],
      ["urlFile"],
      ["smtpUrlFile"],
      ["smtpUrl"],
    ]) {
      const cwd = emptyFolder();
      writeFileSync(join(cwd, "config.yaml"), exampleWith(names));
      const { code, stdout, stderr } = await authsvc(["serve", "--port", "0"], { cwd });
      expect([names, code, stdout]).toEqual([names, 2, ""]);
      expect(stderr).toMatch(/masterKey|database|urlFile|smtpUrl/u);
      expect(stderr).not.toMatch(/authsvc:password/u);
      expect(existsSync(join(cwd, "data"))).toBe(false);
    }
  });

  it.each([
    ["short", "A".repeat(42)],
    ["long", "A".repeat(44)],
    ["nothing but zeros", Buffer.alloc(32).toString("base64url")],
    ["one letter", "k".repeat(43)],
    ["one byte", Buffer.alloc(32, 7).toString("base64url")],
    ["digits in order", "0123456789".repeat(5).slice(0, 43)],
    ["a word again and again", "changeme".repeat(6).slice(0, 43)],
    ["a password", Buffer.from("password".repeat(4)).toString("base64url")],
    ["what the example says", "(43 base64url characters)"],
  ])("X1: a master key is refused that is guessable: %s", async (_name, masterKey) => {
    const cwd = emptyFolder();
    const inEnvironment = await authsvc(["signing-key", "list"], { cwd, env: { AUTHSVC_MASTER_KEY: masterKey } });
    mkdirSync(join(cwd, "data"), { recursive: true });
    writeFileSync(join(cwd, "data/master.key"), `${masterKey}\n`);
    const inFile = await authsvc(["signing-key", "list"], { cwd });
    for (const { code, stdout, stderr } of [inEnvironment, inFile]) {
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/master[ _.]?key/iu);
      expect(stderr).not.toContain(masterKey);
    }
  });

  it("X1: two installations have nothing secret in common", async () => {
    const keys = new Set<string>();
    for (let count = 0; count < 2; count += 1) {
      const cwd = emptyFolder();
      await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
      keys.add(readFileSync(join(cwd, "data/master.key"), "utf8"));
      keys.add(JSON.stringify(await answer(["signing-key", "list"], { cwd })));
    }
    expect(keys.size).toBeGreaterThanOrEqual(3);
  });
});

describe("a configuration with a mistake in it", () => {
  it("X2: every setting, misspelt in the file or in the environment, is refused before anything starts and is named", async () => {
    const cwd = emptyFolder();
    for (const { key, variable } of allSettings) {
      const names = key.split(".");
      const wrong = `${names.at(-1)}x`;
      const yaml =
        names
          .slice(0, -1)
          .map((name, depth) => `${"  ".repeat(depth)}${name}:\n`)
          .join("") + `${"  ".repeat(names.length - 1)}${wrong}: 1\n`;
      writeFileSync(join(cwd, "config.yaml"), yaml);
      const inFile = await authsvc(["config", "check"], { cwd });
      expect([key, inFile.code, inFile.stdout]).toEqual([key, 2, ""]);
      expect(inFile.stderr).toContain(`${wrong} is not a setting`);
      rmSync(join(cwd, "config.yaml"));
      const inEnvironment = await authsvc(["config", "check"], { cwd, env: { [`${variable}X`]: "1" } });
      expect([key, inEnvironment.code]).toEqual([key, 2]);
      expect(inEnvironment.stderr).toContain(`${variable}X is not a setting`);
    }
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("X2: every setting with a value that cannot be is refused before anything starts, is named, and a secret is not repeated", async () => {
    const cwd = emptyFolder();
    for (const { key, variable, doc } of allSettings) {
      const names = key.split(".");
      // These two come from the environment of every command here, which counts for more than the
      // file.
      const isInEnvironment = ["passwords.memoryKiB", "passwords.iterations"].includes(key);
      for (const value of isInEnvironment ? [] : ["{ canary: 1 }", "[[canary]]", '"\\u0000canary"']) {
        const yaml = names.map((name, depth) => `${"  ".repeat(depth)}${name}:`).join("\n");
        writeFileSync(join(cwd, "config.yaml"), `${yaml} ${value}\n`);
        const { code, stdout, stderr } = await authsvc(["config", "check"], { cwd });
        expect([key, value, code, stdout]).toEqual([key, value, 2, ""]);
        expect(stderr).toContain(names.at(-1));
        if (doc.secret) expect(stderr).not.toContain("canary");
      }
      rmSync(join(cwd, "config.yaml"), { force: true });
      // A list may be empty; no list may hold this.
      const lists = [
        "trustedProxies",
        "metrics.hosts",
        "dns.servers",
        "organizations.privateIssuers",
        "audit.retention",
      ];
      const isList = lists.includes(key);
      const bad = await authsvc(["config", "check"], { cwd, env: { [variable]: isList ? "no/where" : "" } });
      expect([key, bad.code]).toEqual([key, 2]);
      expect(bad.stderr).toContain(variable);
    }
  });
});

describeSqliteFirst("encrypted columns", localWebhooks, (service) => {
  it("X3: a secret that somebody moves to another row in the database is not used there", async () => {
    const [mine, theirs] = [await service.createApp(), await service.createApp()];
    const ids: string[] = [];
    for (const [at, app] of [mine, theirs].entries()) {
      const endpoint = {
        url: "http://127.0.0.1:9/",
        events: ["user.login"],
        secret: `a secret of application ${at}`,
      };
      ids.push(String((await call(service, "POST", "/webhooks/endpoints", app.headers, endpoint)).body["id"]));
    }
    const test = async () => await call(service, "POST", `/webhooks/endpoints/${ids[0]}/test`, mine.headers);
    expect((await test()).status).toBe(200);
    await runSql(
      service,
      `UPDATE webhook_endpoints SET encrypted_secret = (SELECT encrypted_secret FROM webhook_endpoints WHERE id = '${ids[1]}') WHERE id = '${ids[0]}'`,
    );
    expect(await test()).toMatchObject({ status: 500, body: { error: { code: "SERVER_ERROR", details: "" } } });
    const checked = await authsvc(["db", "check"], placeOf(service));
    expect(checked.code).toBe(1);
    expect(checked.stdout + checked.stderr).toMatch(/webhook/u);
  });

  it("X3: another master key is refused before anything is written with it, and a missing one is never replaced", async () => {
    const place = placeOf(service);
    const other = {
      ...place,
      env: { ...place.env, AUTHSVC_MASTER_KEY: "Zx3q9Lm0Tk8Vb2Nc7Rj4Wd1Yh6Fp5Sg0Ua8Ei3Ok7Qw" },
    };
    expect(other.env["AUTHSVC_MASTER_KEY"]).toHaveLength(43);
    const before = await service.databaseText();
    for (const args of [
      ["signing-key", "rotate", "--now"],
      ["app", "create", "--name", "X"],
    ]) {
      const { code, stdout, stderr } = await authsvc(args, other);
      expect([args, code, stdout]).toEqual([args, 2, ""]);
      expect(stderr).toMatch(/The master key does not belong/u);
    }
    expect((await service.databaseText()).length).toBe(before.length);
    const empty = { cwd: emptyFolder(), env: { ...place.env } };
    delete empty.env["AUTHSVC_MASTER_KEY"];
    const file = join(service.dataDir, "master.key");
    const kept = existsSync(file) ? readFileSync(file) : undefined;
    rmSync(file, { force: true });
    const { code, stderr } = await authsvc(["signing-key", "list"], empty);
    expect([code, stderr.includes("is missing")]).toEqual([2, true]);
    expect(existsSync(file)).toBe(false);
    if (kept) writeFileSync(file, kept, { mode: 0o600 });
  });
});

describe("secrets on the command line", () => {
  it("X4: no command takes a secret as an argument, where every user of the machine could read it", () => {
    const open = allCommands(newProgram()).flatMap(({ path, command }) =>
      command.options
        .filter(
          ({ long, required }) =>
            required && /secret|password|private|api-key|master|token|smtp|database/u.test(long ?? ""),
        )
        .filter(({ long, argChoices }) => !long?.endsWith("-file") && !argChoices)
        .map(({ long }) => `${path.join(" ")} ${long}`),
    );
    // An address, lengths and times, folders, and what only servers read: facts, not secrets.
    // `token verify TOKEN` takes what was handed to a stranger anyway, or standard input.
    expect(open.toSorted()).toEqual([
      "app provider set --token-url",
      "app update --password-min-length",
      "app update --personal-token-life",
      "apply --secrets-dir",
      "apply --secrets-to",
      "plan --secrets-dir",
      "plan --secrets-to",
      "resource create --access-token-seconds",
      "resource update --access-token-seconds",
      "user metadata --private",
    ]);
  });

  it("X4: a secret that is typed in a wrong place is not repeated in the answer, which may end in a build log", async () => {
    const cwd = emptyFolder();
    const canary = "Canary-7f3d9b1c";
    const echoed: string[] = [];
    for (const { path, command } of allCommands(newProgram())) {
      const most = command.registeredArguments.length;
      const wrong = [
        ["--secret", canary],
        [`--secret=${canary}`],
        [`--api-key=${canary}`],
        [`-p${canary}`],
        [...Array.from({ length: most }, () => "x"), canary, canary],
        ...command.options
          .filter(({ argChoices, parseArg, required }) => required && (argChoices ?? parseArg))
          .filter(({ long }) => long !== "--events")
          .map(({ long }) => [String(long), canary]),
        ...command.options
          .filter(({ long, required }) => required && long?.endsWith("-file"))
          .map(({ long }) => [String(long), canary]),
        ...(command.registeredArguments[0]?.argChoices ? [[canary]] : []),
      ];
      for (const args of wrong) {
        // A group, and what its name leads to, have no arguments of their own; a service that
        // starts would not end.
        if (path.join(" ") === "serve" && args.length === 2 && !args[0]?.startsWith("--s")) continue;
        // Nor would one that follows the log.
        if (path.join(" ") === "audit follow" && args[0] === "--cursor-file") continue;
        const { code, stdout, stderr } = await authsvc([...path, ...args], { cwd });
        if ((stdout + stderr).includes(canary)) echoed.push(`${path.join(" ")} ${args.join(" ")}: ${stdout}${stderr}`);
        expect([path, args, code]).not.toEqual([path, args, 0]);
      }
    }
    expect(echoed).toEqual([]);
  });

  it.runIf(process.platform === "linux")(
    "X4: while it serves, its command line says no secret, and what it writes is its owner's alone, whatever the umask",
    async () => {
      const cwd = emptyFolder();
      const secret = "canary-of-a-secret-0123456789abcdef";
      const umask = process.umask(0);
      const child = start(["serve", "--dev", "--port", "0"], {
        cwd,
        env: {
          AUTHSVC_PASSWORDS__MEMORY_KIB: "8",
          AUTHSVC_MAIL__SMTP_URL: `smtp://u:${secret}@127.0.0.1:9`,
          AUTHSVC_MAIL__FROM: "a@example.com",
        },
      });
      const running = start(["key", "create", "--app", "app_demo", "--api-key-stdin"], { cwd });
      process.umask(umask);
      started.push(child, running);
      const said = await outputOf(child, /Demo page .*\n/u);
      const apiKey = /ak_\w+/u.exec(said)?.[0] ?? "none";
      const finished = finish(running);
      running.stdin.write(secret);
      const seen = [child, running].map(({ pid }) =>
        readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "),
      );
      running.stdin.end();
      expect(await finished).toMatchObject({ code: 0 });
      expect(seen).toEqual([expect.stringContaining("serve --dev"), expect.stringContaining("key create")]);
      const masterKey = readFileSync(join(cwd, "data/master.key"), "utf8").trim();
      for (const hidden of [secret, apiKey, masterKey]) expect(seen.join("\n")).not.toContain(hidden);
      const saved = process.umask(0);
      const backup = await authsvc(["db", "backup", "a.backup"], { cwd });
      process.umask(saved);
      expect(backup.code).toBe(0);
      const files = readdirSync(join(cwd, "data")).map((name) => join(cwd, "data", name));
      expect(files.length).toBeGreaterThan(3);
      expect(statSync(join(cwd, "data")).mode & 0o777).toBe(0o700);
      for (const file of [...files, join(cwd, "a.backup")])
        expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600]);
    },
  );

  it.runIf(isPosix)("X4: doctor finds a file that others can read", async () => {
    const cwd = emptyFolder();
    await answer(["app", "create", "--name", "Shop"], { cwd });
    for (const name of ["master.key", "authsvc.db"]) {
      chmodSync(join(cwd, "data", name), 0o640);
      const { code, stdout } = await authsvc(["doctor"], { cwd });
      expect([name, code, stdout.includes(`chmod 600`)]).toEqual([name, 5, true]);
      chmodSync(join(cwd, "data", name), 0o600);
    }
  });
});

describe("development mode", () => {
  it.each([
    [["--dev"], { AUTHSVC_BASE_URL: "https://auth.example.com" }],
    [["--dev"], { AUTHSVC_BASE_URL: "https://auth.example.com", AUTHSVC_TRUSTED_PROXIES: "10.0.0.1" }],
    [["--dev"], { AUTHSVC_BASE_URL: "http://auth.example.com" }],
    [["--dev", "--host", "0.0.0.0"], {}],
    [["--dev", "--host", "::"], { AUTHSVC_BASE_URL: "https://auth.example.com" }],
    [["--dev", "--host", "192.0.2.1"], { AUTHSVC_BASE_URL: "http://localhost:8080" }],
    [["--dev", "--host", "localhost.example.com"], {}],
    [[], { AUTHSVC_BASE_URL: "http://auth.example.com" }],
    [["--host", "0.0.0.0"], {}],
    [["--host", "0.0.0.0"], { AUTHSVC_BASE_URL: "https://auth.example.com" }],
  ] as [string[], Record<string, string>][])(
    "X6: serve %j with %j is refused, and leaves nothing behind",
    async (flags, env) => {
      const cwd = emptyFolder();
      const { code, stdout, stderr } = await authsvc(["serve", "--port", "0", ...flags], { cwd, env });
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/baseUrl|BASE_URL|--host/u);
      expect(existsSync(join(cwd, "data"))).toBe(false);
    },
  );
});
