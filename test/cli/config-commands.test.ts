import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testMasterKey } from "../support/service.ts";
import { writeCertificate } from "../support/tls-files.ts";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

type Shown = { key: string; value: unknown; source: string; secret: boolean };

const databaseUrl =
  "postgres://authsvc:hush-hush@db.example.com:5433/authsvc?sslmode=verify-full&sslpassword=hush-hush";

describe("config show", () => {
  const cwd = emptyFolder();
  writeFileSync(
    join(cwd, "config.yaml"),
    "baseUrl: http://localhost:9000\nrateLimits:\n  authentication: 7\nmasterKeyFile: key\nmail:\n  from: a@example.com\n",
  );
  writeFileSync(join(cwd, "key"), `${"k".repeat(43)}\n`);
  const env = {
    AUTHSVC_RATE_LIMITS__AUTHENTICATION: "9",
    AUTHSVC_DATABASE__URL: databaseUrl,
    AUTHSVC_MAIL__SMTP_URL: "smtps://authsvc:hush-hush@mail.example.com",
  };
  const show = async (): Promise<Record<string, Shown>> => {
    const settings = (await answer(["config", "show", "--data", "elsewhere"], { cwd, env })) as Shown[];
    return Object.fromEntries(settings.map((setting) => [setting.key, setting]));
  };

  test("names the source of every value, the later one where two give it", async () => {
    const shown = await show();
    expect(shown["baseUrl"]).toMatchObject({ value: "http://localhost:9000", source: "config.yaml line 1, column 1" });
    expect(shown["rateLimits.authentication"]).toMatchObject({
      value: 9,
      source: "AUTHSVC_RATE_LIMITS__AUTHENTICATION",
    });
    expect(shown["rateLimits.webhooks"]).toMatchObject({ value: 1000, source: "default" });
    expect(shown["data"]).toMatchObject({ value: join(cwd, "elsewhere"), source: "--data" });
    expect(shown["trustedProxies"]).toMatchObject({ value: [], source: "default" });
    expect(shown["log.format"]).toMatchObject({ value: "json", source: "default" });
    expect(shown["passwords.concurrency"]?.value).toBeGreaterThan(0);
    expect(shown["listen.tls.certFile"]).toMatchObject({ value: null });
  });

  test("masks secrets, of an address all but scheme and host, and says which file a secret came from", async () => {
    const shown = await show();
    expect(shown["masterKey"]).toMatchObject({
      value: "***",
      source: "the file that config.yaml line 4, column 1: masterKeyFile names",
      secret: true,
    });
    expect(shown["database.url"]).toMatchObject({ value: "postgres://***@db.example.com:5433/***", secret: true });
    expect(shown["mail.smtpUrl"]).toMatchObject({ value: "smtps://***@mail.example.com/***", secret: true });
    expect(shown).not.toHaveProperty("masterKeyFile");
    const { stdout } = await authsvc(["config", "show"], { cwd, env });
    expect(stdout + JSON.stringify(shown)).not.toMatch(/hush|kkk/u);
    expect(stdout).toMatch(/^rateLimits\.authentication +9 +AUTHSVC_RATE_LIMITS__AUTHENTICATION$/mu);
  });
});

test.each([
  "smtps://authsvc:hush@hush/hush@mail.example.com",
  "smtps://authsvc:hush/hush@mail.example.com",
  "smtps://authsvc:hush?hush@mail.example.com",
  "smtps://authsvc:hush#hush@mail.example.com",
  "smtps://hush\\hush@mail.example.com",
  "smtps://hush:465#@mail.example.com",
  "smtps://authsvc:h@hush.example.com:99/hush",
])("config show and check say nothing of the password in %s", async (url) => {
  const cwd = emptyFolder();
  const env = { AUTHSVC_MAIL__SMTP_URL: url, AUTHSVC_MAIL__FROM: "a@example.com" };
  for (const args of [["config", "show"], ["config", "show", "--json"], ["config", "check"], ["doctor"]]) {
    const { stdout, stderr } = await authsvc(args, { cwd, env });
    const isWholeHost = url.includes("h@hush.example.com");
    if (!isWholeHost) expect(stdout + stderr).not.toContain("hush");
  }
});

describe("config check", () => {
  test("accepts what the service would accept, and repeats its warnings", async () => {
    const cwd = emptyFolder();
    const { code, stdout, stderr } = await authsvc(["config", "check"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "The configuration is valid (no configuration file).\n" });
    expect(stderr).toMatch(/^Warning: AUTHSVC_PASSWORDS__MEMORY_KIB is below/u);
    writeFileSync(join(cwd, "config.yaml"), "log: {level: warn}\n");
    expect(await answer(["config", "check"], { cwd })).toMatchObject({ valid: true, file: join(cwd, "config.yaml") });
  });

  test("ends with 2 and names the setting that is wrong, without having touched anything", async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "other.yaml"), "log:\n  level: loud\n");
    const refused = await authsvc(["config", "check", "--config", "other.yaml"], { cwd });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toBe(
      'authsvc: other.yaml line 2, column 3: log.level must be one of debug, info, warn, error, silent; it is "loud"\n',
    );
  });
});

test("config example prints the file that comes with the sources, and it is valid", async () => {
  const cwd = emptyFolder();
  const { stdout } = await authsvc(["config", "example"], { cwd });
  expect(stdout).toBe(readFileSync(join(import.meta.dirname, "../../config.example.yaml"), "utf8"));
  writeFileSync(join(cwd, "config.yaml"), stdout);
  expect((await authsvc(["config", "check"], { cwd })).code).toBe(0);
});

describe("config check reads the files of the configuration", () => {
  test.each<[string, Record<string, string>, RegExp]>([
    [
      "a certificate",
      { AUTHSVC_LISTEN__TLS__CERT_FILE: "no.pem", AUTHSVC_LISTEN__TLS__KEY_FILE: "key.pem" },
      /listen\.tls\.certFile: the file \S+no\.pem does not exist$/u,
    ],
    [
      "its key",
      { AUTHSVC_LISTEN__TLS__CERT_FILE: "cert.pem", AUTHSVC_LISTEN__TLS__KEY_FILE: "no.pem" },
      /listen\.tls\.keyFile: the file \S+no\.pem does not exist$/u,
    ],
    [
      "a certificate that is none",
      { AUTHSVC_LISTEN__TLS__CERT_FILE: "key.pem", AUTHSVC_LISTEN__TLS__KEY_FILE: "key.pem" },
      /listen\.tls: \S+key\.pem contains no PEM certificate$/u,
    ],
    [
      "the breached passwords",
      { AUTHSVC_PASSWORDS__BREACHED_FILE: "no.bin" },
      /passwords\.breachedFile: the file \S+no\.bin does not exist; make it: /u,
    ],
    [
      "damaged breached passwords",
      { AUTHSVC_PASSWORDS__BREACHED_FILE: "key.pem" },
      /passwords\.breachedFile: the file \S+key\.pem is damaged/u,
    ],
    [
      "the disposable domains",
      { AUTHSVC_DISPOSABLE_DOMAINS_FILE: "no.txt" },
      /disposableDomainsFile: the file \S+no\.txt does not exist$/u,
    ],
    [
      "PostgreSQL's authority",
      { AUTHSVC_DATABASE__URL: "postgres://u:hush@localhost/a?sslmode=verify-full&sslrootcert=/no.pem" },
      /sslrootcert of database\.url: the file \/no\.pem does not exist$/u,
    ],
  ])("reads what a start reads, and ends with 2 as that does: %s", async (_, settings, sentence) => {
    const cwd = emptyFolder();
    await writeCertificate(cwd);
    const env = { AUTHSVC_BASE_URL: "https://auth.example.com", AUTHSVC_TRUSTED_PROXIES: "::1", ...settings };
    for (const command of [
      ["config", "check"],
      ["serve", "--port", "0"],
    ]) {
      const { code, stdout, stderr } = await authsvc(command, {
        cwd,
        env: { ...env, AUTHSVC_MASTER_KEY: testMasterKey },
      });
      expect([command, code, stdout]).toEqual([command, 2, ""]);
      expect(stderr.trimEnd().split("\n").at(-1)).toMatch(sentence);
      expect(stderr).not.toContain("hush");
    }
    expect(readdirSync(cwd).toSorted()).toEqual(["cert.pem", "key.pem"]);
  });
});

test("doctor tries the files of the configuration before there is a database", async () => {
  const cwd = emptyFolder();
  const env = { AUTHSVC_PASSWORDS__BREACHED_FILE: "no.bin" };
  const { stdout } = await authsvc(["doctor", "--json"], { cwd, env });
  const findings = JSON.parse(stdout) as { check: string; status: string; message: string }[];
  expect(findings.filter(({ check }) => check === "configuration")).toMatchObject([
    { status: "problem", message: expect.stringContaining("no.bin does not exist") as string },
  ]);
});
