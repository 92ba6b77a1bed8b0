import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyFolder } from "./command.ts";
import { authsvc } from "./in-process.ts";
import { hasTerminal, noTerminal, onTerminal } from "./terminal.ts";

/** As a real installation has them: cheap ones earn a warning. */
const dearHashes = { AUTHSVC_PASSWORDS__MEMORY_KIB: "19456", AUTHSVC_PASSWORDS__ITERATIONS: "2" };

const flags = [
  "init",
  "--base-url",
  "https://auth.example.com",
  "--trusted-proxy",
  "10.0.0.0/8",
  "--app-name",
  "My shop",
  "--app-id",
  "app_shop",
  "--redirect-uri",
  "https://shop.example.com/callback",
];

describe("init", () => {
  const cwd = emptyFolder();

  test("with a flag for every answer writes the configuration and creates the first application", async () => {
    writeFileSync(join(cwd, "smtp"), "smtps://authsvc:hunter2@mail.example.com\n");
    const mail = ["--smtp-url-file", "smtp", "--mail-from", "Acme <auth@example.com>"];
    const { code, stdout, stderr } = await authsvc([...flags, ...mail, "--json"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      config: "config.yaml",
      application: { id: "app_shop", redirectUris: ["https://shop.example.com/callback"] },
      apiKey: expect.stringMatching(/^ak_/) as string,
    });
    const written = readFileSync(join(cwd, "config.yaml"), "utf8");
    expect(written).toContain('\nbaseUrl: "https://auth.example.com"\n');
    expect(written).toContain('\ntrustedProxies: ["10.0.0.0/8"]\n');
    expect(written).toMatch(/^ {2}# .*\n {2}host: "0\.0\.0\.0"$/m);
    if (process.platform !== "win32") expect(statSync(join(cwd, "config.yaml")).mode & 0o777).toBe(0o600);
    const shown = await authsvc(["config", "check", "--json"], { cwd, env: dearHashes });
    expect(JSON.parse(shown.stdout)).toMatchObject({ valid: true, warnings: [] });
    expect(readdirSync(cwd).toSorted()).toEqual(["config.yaml", "data", "smtp"]);
  });

  test("never replaces a configuration without --force, and leaves the old one when it fails", async () => {
    const before = readFileSync(join(cwd, "config.yaml"), "utf8");
    const refused = await authsvc(flags, { cwd });
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toBe("authsvc: config.yaml already exists. Use --force to replace it.\n");
    // The application exists already.
    expect(await authsvc([...flags, "--force"], { cwd })).toMatchObject({ code: 4, stdout: "" });
    expect(readFileSync(join(cwd, "config.yaml"), "utf8")).toBe(before);
    const second = flags.map((flag) => (flag === "app_shop" ? "app_other" : flag));
    expect(await authsvc([...second, "--force"], { cwd })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, "config.yaml"), "utf8")).not.toBe(before);
  });

  test("as a dry run shows the file without its secrets, and leaves nothing behind", async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, "db"), "postgres://authsvc:hunter2@localhost:1/authsvc\n");
    const { code, stdout } = await authsvc([...flags, "--database-url-file", "db", "--dry-run"], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain('\n  url: "(not shown)"\n');
    expect(stdout).toContain('\nmasterKey: "(not shown)"\n');
    expect(stdout).not.toContain("hunter2");
    expect(readdirSync(folder)).toEqual(["db"]);
    const failed = await authsvc([...flags, "--database-url-file", "db"], { cwd: folder });
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(readdirSync(folder)).toEqual(["db"]);
  });

  const empty = emptyFolder();
  const incomplete: [args: string[], line: RegExp][] = [
    [["init"], /^authsvc: --base-url is missing$/],
    [flags.slice(0, 3), /^authsvc: --trusted-proxy \(or --tls-cert-file and --tls-key-file\) is missing$/],
    [flags.slice(0, 5), /^authsvc: --app-name is missing$/],
    [[...flags.slice(0, 2), "auth.example.com", ...flags.slice(5)], /^authsvc: --base-url must be https:/],
    [[...flags, "--mail-from", "a@example.com"], /^authsvc: --mail-from also needs mail\.smtpUrl/],
    [[...flags.slice(0, 9), "--redirect-uri", "http://shop.example"], /^authsvc: --redirect-uri 1 must be https/],
  ];
  test.each(incomplete)("%j without a terminal ends with 2 and leaves nothing behind", async (args, line) => {
    const { code, stdout, stderr } = await authsvc(args, { cwd: empty });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trim()).toMatch(line);
    expect(existsSync(join(empty, "config.yaml"))).toBe(false);
  });
});

test("init on a terminal explains each question, and ends with the next two commands", async ({ skip }) => {
  skip(!hasTerminal, noTerminal);
  const cwd = emptyFolder();
  const { code, screen } = await onTerminal(
    ["init"],
    [
      ["Base URL", "http://auth.example.com\r"],
      ["must start with https", `${"\u007f".repeat(40)}http://localhost:8080\r`],
      ["Data folder", "\r"],
      ["Database", "\r"],
      ["Mail server", "\r"],
      ["Name of the application", "Shop\r"],
      ["Redirect URI", "http://shop.example/callback\r"],
      ["Allowed: https", `${"\u007f".repeat(40)}http://localhost:3000/callback\r`],
      ["Methods", "\r"],
    ],
    cwd,
  );
  expect(code).toBe(0);
  expect(screen.match(/The URL at which browsers/gu)).toHaveLength(1);
  expect(screen).toContain("The URL at which browsers reach this service.");
  expect(screen).toMatch(/API key +ak_/);
  const lines = ["ISSUER=http://localhost:8080", "APP_ID=app_\\w+", "API_KEY=ak_\\w+", "COOKIE_SECRET=[\\w-]{43}"];
  expect(screen).toMatch(
    new RegExp(
      `\nThe .env file of your application:\\s+${lines.map((line) => `AUTHSVC_${line}`).join("\\s+")}\\s`,
      "u",
    ),
  );
  expect(screen).toMatch(/Next:\r?\n {2}authsvc doctor\r?\n {2}authsvc serve/);
  expect(readFileSync(join(cwd, "config.yaml"), "utf8")).toContain('\nbaseUrl: "http://localhost:8080"\n');
  expect(existsSync(join(cwd, "data/authsvc.db"))).toBe(true);
});
