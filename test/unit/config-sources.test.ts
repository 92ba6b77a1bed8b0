import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig, type ConfigFlags } from "../../src/config/load.ts";
import { AppError } from "../../src/lib/errors.ts";

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "authsvc-config-"));
});

afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function file(name: string, content: string): string {
  const path = join(cwd, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

function load(env: Record<string, string> = {}, flags: ConfigFlags = {}) {
  return loadConfig({ env, flags, cwd });
}

/** The message with which the configuration is refused; throws when it is not. */
function refusal(env: Record<string, string> = {}, flags: ConfigFlags = {}): string {
  try {
    load(env, flags);
  } catch (error) {
    if (error instanceof AppError && error.code === "INVALID_CONFIG") return error.message;
    throw error;
  }
  throw new Error("the configuration was accepted");
}

describe("where values come from", () => {
  test("nothing at all is a complete configuration for this machine", () => {
    const { config, warnings } = load();
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      dev: false,
      dataDir: join(cwd, "data"),
      baseUrl: undefined,
      listen: { host: "127.0.0.1", port: 8080, tls: undefined },
      trustedProxies: [],
      database: { url: undefined, poolSize: 10 },
      masterKey: undefined,
      passwords: { memoryKiB: 19_456, iterations: 2, parallelism: 1, attemptsPerMinute: 10 },
      rateLimits: { authentication: 100, userManagement: 500, applicationManagement: 100, webhooks: 1000 },
      log: { level: "info", format: "json", requests: "errors" },
    });
    expect(config.passwords.concurrency).toBeGreaterThan(0);
    expect(config.passwords.queueSize).toBe(64 * config.passwords.concurrency);
  });

  test("the file wins over defaults, the environment over the file, a flag over both", () => {
    file("config.yaml", "listen:\n  port: 1001\n  host: ::1\nrateLimits:\n  webhooks: 7\n");
    expect(load().config.listen.port).toBe(1001);
    expect(load({ AUTHSVC_LISTEN__PORT: "1002" }).config.listen.port).toBe(1002);
    const { config } = load({ AUTHSVC_LISTEN__PORT: "1002" }, { port: "1003" });
    expect(config.listen).toMatchObject({ host: "::1", port: 1003 });
    expect(config.rateLimits).toMatchObject({ authentication: 100, webhooks: 7 });
  });

  test("every level of a variable's name is found, whatever its capitals in the file", () => {
    const { config } = load({
      AUTHSVC_RATE_LIMITS__AUTHENTICATION: "1000",
      AUTHSVC_PASSWORDS__MEMORY_KIB: "20000",
      AUTHSVC_PASSWORDS__ATTEMPTS_PER_MINUTE: "3",
      AUTHSVC_LISTEN__TLS__CERT_FILE: "cert.pem",
      AUTHSVC_LISTEN__TLS__KEY_FILE: "/etc/key.pem",
      AUTHSVC_BASE_URL: "https://auth.example.com/",
    });
    expect(config.rateLimits.authentication).toBe(1000);
    expect(config.passwords).toMatchObject({ memoryKiB: 20_000, attemptsPerMinute: 3 });
    expect(config.listen.tls).toEqual({ certFile: join(cwd, "cert.pem"), keyFile: "/etc/key.pem" });
    expect(config.baseUrl).toBe("https://auth.example.com");
  });

  test("lists are separated by commas in a variable and are lists in the file", () => {
    expect(load({ AUTHSVC_TRUSTED_PROXIES: "10.0.0.0/8, ::1" }).config.trustedProxies).toEqual(["10.0.0.0/8", "::1"]);
    file("config.yaml", "trustedProxies: [10.0.0.0/8]\n");
    expect(load().config.trustedProxies).toEqual(["10.0.0.0/8"]);
    expect(load({ AUTHSVC_TRUSTED_PROXIES: "" }).config.trustedProxies).toEqual([]);
  });

  test("--config wins over AUTHSVC_CONFIG, and that over ./config.yaml", () => {
    file("config.yaml", "listen: { port: 1 }");
    file("a.yaml", "listen: { port: 2 }");
    file("b.yaml", "listen: { port: 3 }");
    expect(load().config.listen.port).toBe(1);
    expect(load({ AUTHSVC_CONFIG: "a.yaml" }).config.listen.port).toBe(2);
    expect(load({ AUTHSVC_CONFIG: "a.yaml" }, { config: "b.yaml" }).config.listen.port).toBe(3);
  });

  test("--data wins over AUTHSVC_DATA; a relative path in the file starts at the file's folder", () => {
    file("etc/config.yaml", "data: ./kept\n");
    expect(load({}, { config: "etc/config.yaml" }).config.dataDir).toBe(join(cwd, "etc/kept"));
    expect(load({ AUTHSVC_DATA: "env", AUTHSVC_CONFIG: "etc/config.yaml" }).config.dataDir).toBe(join(cwd, "env"));
    expect(load({ AUTHSVC_DATA: "env" }, { data: "/flag" }).config.dataDir).toBe("/flag");
  });

  test("other people's variables are left alone, and those that serve --dev prints for applications", () => {
    expect(load({ PATH: "/bin", AUTHSVCX: "1", MY_AUTHSVC_PORT: "1" }).warnings).toEqual([]);
    const ofApplications = { AUTHSVC_ISSUER: "http://localhost:8080", AUTHSVC_APP_ID: "app_demo" };
    const secrets = { AUTHSVC_API_KEY: "ak_…", AUTHSVC_COOKIE_SECRET: "" };
    expect(load({ ...ofApplications, ...secrets }).warnings).toEqual([]);
    expect(refusal({ AUTHSVC_API_KEYS: "ak_…" })).toContain("AUTHSVC_API_KEYS is not a setting");
  });
});

describe("what Kubernetes sets beside a Service", () => {
  const links = (prefix: string, address: string) => ({
    [`${prefix}_SERVICE_HOST`]: address,
    [`${prefix}_SERVICE_PORT`]: "80",
    [`${prefix}_SERVICE_PORT_HTTP`]: "80",
    [`${prefix}_SERVICE_PORT_HTTP_2`]: "8080",
    [`${prefix}_PORT`]: `tcp://${address}:80`,
    [`${prefix}_PORT_80_TCP`]: `tcp://${address}:80`,
    [`${prefix}_PORT_80_TCP_PROTO`]: "tcp",
    [`${prefix}_PORT_80_TCP_PORT`]: "80",
    [`${prefix}_PORT_80_TCP_ADDR`]: address,
    [`${prefix}_PORT_53_UDP`]: `udp://${address}:53`,
    [`${prefix}_PORT_53_UDP_PROTO`]: "udp",
    [`${prefix}_NAME`]: "/web/authsvc",
  });

  test.each([
    ["AUTHSVC", "10.96.3.4"],
    ["AUTHSVC_CONSOLE", "fd00:10:96::1f"],
    ["AUTHSVC_2", "10.96.3.4"],
    ["AUTHSVC", "[fd00:10:96::1f]"],
  ])("is left alone: %s", (prefix, address) => {
    expect(load(links(prefix, address)).config.listen.port).toBe(8080);
  });

  test.each([
    ["AUTHSVC_PORT", "8080", "did you mean AUTHSVC_LISTEN__PORT?"],
    ["AUTHSVC_SERVICE_HOST", "auth.example.com", "is not a setting"],
    ["AUTHSVC_LISTEN_PORT", "8080", "did you mean AUTHSVC_LISTEN__PORT?"],
    ["AUTHSVC_METRICS_HOST", "10.0.0.1", "did you mean AUTHSVC_METRICS__HOST?"],
    ["AUTHSVC_SERVICE_PORT", "http", "is not a setting"],
    ["AUTHSVC_PORT_80_TCP_PROTO", "80", "is not a setting"],
    ["AUTHSVC_NAME", "Acme", "is not a setting"],
  ])("and a misspelt setting is still refused: %s=%s", (name, value, sentence) => {
    expect(refusal({ [name]: value })).toContain(sentence);
  });
});

describe("secrets", () => {
  const key = "A".repeat(43);
  const url = "postgres://user:pass@db/auth?sslmode=verify-full";

  test("come from a file that a key or a variable names, without the newline at its end", () => {
    file("etc/key", `${key}\r\n`);
    file("url", `${url}\n`);
    file("etc/config.yaml", "masterKeyFile: key\n");
    const { config } = load({ AUTHSVC_DATABASE__URL_FILE: "url", AUTHSVC_CONFIG: "etc/config.yaml" });
    expect(config.masterKey).toBe(key);
    expect(config.database).toEqual({ url, poolSize: 10 });
  });

  test("the master key comes from systemd's credential, unless the file or a variable sets one", () => {
    const other = "B".repeat(43);
    const CREDENTIALS_DIRECTORY = join(cwd, "credentials");
    expect(load({ CREDENTIALS_DIRECTORY }).config.masterKey).toBeUndefined();
    // One that cannot be read is not taken as absent.
    mkdirSync(join(cwd, "circle"));
    symlinkSync("master-key", join(cwd, "circle/master-key"));
    expect(refusal({ CREDENTIALS_DIRECTORY: join(cwd, "circle") })).toContain("CREDENTIALS_DIRECTORY: ");
    const credential = file("credentials/master-key", `${key}\n`);
    expect(load({ CREDENTIALS_DIRECTORY }).config).toMatchObject({ masterKey: key, masterKeyFile: credential });
    expect(load({ CREDENTIALS_DIRECTORY, AUTHSVC_MASTER_KEY: other }).config.masterKey).toBe(other);
    file("config.yaml", "masterKeyFile: key\n");
    file("key", other);
    expect(load({ CREDENTIALS_DIRECTORY }).config.masterKey).toBe(other);
    expect(load().config.masterKey).toBe(other);
  });

  test("are refused when given twice in one source; between sources the later wins", () => {
    file("url", url);
    expect(refusal({ AUTHSVC_DATABASE__URL: url, AUTHSVC_DATABASE__URL_FILE: "url" })).toBe(
      "AUTHSVC_DATABASE__URL_FILE and AUTHSVC_DATABASE__URL set the same value: remove one of them",
    );
    file("config.yaml", "database:\n  url: postgres://localhost/auth\n");
    expect(load({ AUTHSVC_DATABASE__URL_FILE: "url" }).config.database.url).toBe(url);
    file("config.yaml", `database:\n  url: ${url}\n  urlFile: url\n`);
    expect(refusal()).toContain(
      "config.yaml line 3, column 3: database.urlFile and config.yaml line 2, column 3: database.url",
    );
  });

  test("in a file that is missing, empty or not text are refused by the key that names it", () => {
    file("empty", "\n");
    writeFileSync(join(cwd, "binary"), Buffer.from([0xff, 0xfe, 0x00]));
    expect(refusal({ AUTHSVC_MASTER_KEY_FILE: "nowhere" })).toBe(
      `AUTHSVC_MASTER_KEY_FILE: the file ${join(cwd, "nowhere")} does not exist`,
    );
    expect(refusal({ AUTHSVC_MASTER_KEY_FILE: "." })).toContain("is a folder");
    expect(refusal({ AUTHSVC_MASTER_KEY_FILE: "empty" })).toBe("AUTHSVC_MASTER_KEY_FILE: the file is empty");
    expect(refusal({ AUTHSVC_MASTER_KEY_FILE: "binary" })).toContain("is not UTF-8 text");
  });

  test("never appear in a refusal", () => {
    file("secret", "hunter2-not-a-key");
    expect(refusal({ AUTHSVC_MASTER_KEY: "hunter2-not-a-key" })).toMatch(/^AUTHSVC_MASTER_KEY must be 43 base64url/);
    expect(refusal({ AUTHSVC_MASTER_KEY_FILE: "secret" })).toMatch(
      /^the file that AUTHSVC_MASTER_KEY_FILE names must be 43/,
    );
    expect(refusal({ AUTHSVC_DATABASE__URL: "mysql://u:hunter2@h/d" })).toBe(
      "AUTHSVC_DATABASE__URL must start with postgres:// or postgresql://",
    );
    file("config.yaml", 'masterKey: "hunter2\n');
    expect(refusal()).not.toContain("hunter2");
    file("config.yaml", "masterKey: *hunter2\n");
    expect(refusal()).not.toContain("hunter2");
  });

  test.skipIf(process.platform === "win32")("in a config.yaml that everybody can read make a warning", () => {
    const path = file("config.yaml", `masterKey: ${key}\n`);
    expect(load().warnings).toEqual([]);
    chmodSync(path, 0o644);
    expect(load().warnings).toEqual([
      expect.stringContaining("config.yaml holds masterKey and is readable by every user"),
    ]);
  });
});

describe("what is refused, by the name its author knows", () => {
  const inFile: [title: string, content: string, message: string][] = [
    [
      "an unknown key",
      "listen:\n  prot: 1\n",
      "config.yaml line 2, column 3: listen.prot is not a setting; did you mean listen.port?",
    ],
    [
      "an unknown group",
      "rateLimit:\n  webhooks: 1\n",
      "config.yaml line 1, column 1: rateLimit is not a setting; did you mean rateLimits?",
    ],
    [
      "a key in the wrong group",
      "# comment\nport: 1\n",
      "config.yaml line 2, column 1: port is not a setting; did you mean listen.port?",
    ],
    ["a key like nothing", "frobnicate: 1\n", "config.yaml line 1, column 1: frobnicate is not a setting"],
    ["an inherited name", "constructor: 1\n", "config.yaml line 1, column 1: constructor is not a setting"],
    ["__proto__", "__proto__: { dev: true }\n", "config.yaml line 1, column 1: __proto__ is not a setting"],
    [
      "a value for a group",
      "listen: 8080\n",
      "config.yaml line 1, column 1: listen must be a group of settings: host, port, tls",
    ],
    ["a group for a value", "baseUrl:\n  a: 1\n", "config.yaml line 1, column 1: baseUrl must be https://HOST"],
    ["a dotted key", "listen.port: 1\n", "config.yaml line 1, column 1: listen.port must be nested"],
    ["a key given twice", "data: a\ndata: b\n", "config.yaml line 2, column 1: this key appears twice"],
    ["a tab", "listen:\n\tport: 1\n", "config.yaml line 2, column 1: indented with a tab"],
    ["a list instead of keys", "- a\n", "config.yaml line 1, column 1: the file must contain keys and values"],
    ["a second document", "data: a\n---\ndata: b\n", "config.yaml line 2"],
    ["an empty value", "baseUrl:\n", "config.yaml line 1, column 1: baseUrl must be https://HOST"],
    ["text for a number", 'listen: { port: "80" }\n', "listen.port must be a whole number from 0 to 65535"],
    ["a fraction", "listen: { port: 80.5 }\n", "listen.port must be a whole number from 0 to 65535"],
    ["a number for a text", "data: 7\n", "data must be the path of a folder"],
    [
      "a bad list entry",
      "trustedProxies: [::1, nonsense]\n",
      "trustedProxies entry 2 must be an IP address or a network",
    ],
    ["a text for a list", "trustedProxies: 10.0.0.1\n", "trustedProxies must be a list"],
    ["a wrong word", "log: { level: loud }\n", "log.level must be one of debug, info, warn, error, silent"],
  ];

  test.each(inFile)("in the file: %s", (_title, content, message) => {
    file("config.yaml", content);
    expect(refusal()).toContain(message);
  });

  const inEnvironment: [name: string, value: string, message: string][] = [
    ["AUTHSVC_LISTEN__PRT", "1", "AUTHSVC_LISTEN__PRT is not a setting; did you mean AUTHSVC_LISTEN__PORT?"],
    ["AUTHSVC_RATE_LIMITS_WEBHOOKS", "1", "did you mean AUTHSVC_RATE_LIMITS__WEBHOOKS?"],
    ["AUTHSVC_PORT", "1", "AUTHSVC_PORT is not a setting; did you mean AUTHSVC_LISTEN__PORT?"],
    ["AUTHSVC_CONFG", "1", "did you mean AUTHSVC_CONFIG?"],
    ["AUTHSVC_LISTEN", "1", "AUTHSVC_LISTEN is a group of settings: AUTHSVC_LISTEN__HOST"],
    ["AUTHSVC_DEV", "true", "AUTHSVC_DEV is not a setting"],
    ["AUTHSVC_BASE_URL", "", "AUTHSVC_BASE_URL is empty"],
    ["AUTHSVC_CONFIG", "", "AUTHSVC_CONFIG is empty"],
    ["AUTHSVC_CONFIG", "nowhere.yaml", "AUTHSVC_CONFIG: the file"],
    [
      "AUTHSVC_RATE_LIMITS__AUTHENTICATION",
      "many",
      "AUTHSVC_RATE_LIMITS__AUTHENTICATION must be a whole number from 1",
    ],
    ["AUTHSVC_RATE_LIMITS__AUTHENTICATION", "0", "AUTHSVC_RATE_LIMITS__AUTHENTICATION must be a whole number from 1"],
    ["AUTHSVC_TRUSTED_PROXIES", "10.0.0.0/33", "AUTHSVC_TRUSTED_PROXIES entry 1 must be an IP address or a network"],
    ["AUTHSVC_TRUSTED_PROXIES", "proxy.example.com", "AUTHSVC_TRUSTED_PROXIES entry 1 must be an IP address"],
  ];

  test.each([
    [
      "AUTHSVC_BASE_URL",
      '"https://auth.example.com"',
      `; it is "\\"https://auth.example.com\\""; the quotes are part of it: remove them`,
    ],
    ["AUTHSVC_LISTEN__PORT", "8080\r", `; it is "8080\\r"; it ends with a line break (a file with Windows line ends?)`],
    ["AUTHSVC_LISTEN__PORT", "'8080'", `; it is "'8080'"; the quotes are part of it: remove them`],
    ["AUTHSVC_UPDATES__URL", "http://x.example", `; it is "http://x.example"`],
    [
      "AUTHSVC_TRUSTED_PROXIES",
      "::1, 10.0.0.0/33",
      `entry 2 must be an IP address or a network such as 10.0.0.0/8; it is "10.0.0.0/33"`,
    ],
    ["AUTHSVC_LOG__LEVEL", "INFO", `; it is "INFO"`],
    ["AUTHSVC_BASE_URL", "https://user:hunter2@auth.example.com", "path, query, fragment or user name"],
    [
      "AUTHSVC_DATABASE__URL",
      "'postgres://u:hunter2@localhost/a'",
      "must start with postgres:// or postgresql://; the quotes are part of it: remove them",
    ],
    [
      "AUTHSVC_MASTER_KEY",
      `${"A".repeat(43)}"\r`,
      "writes to master.key; it ends with a line break (a file with Windows line ends?)",
    ],
    ["AUTHSVC_DATA", '"./data"', `AUTHSVC_DATA has quotes, which are part of it: remove them; it is "\\"./data\\""`],
    [
      "AUTHSVC_DATA",
      "~/x",
      `AUTHSVC_DATA starts with ~, which only a shell replaces: write the whole path; it is "~/x"`,
    ],
    ["AUTHSVC_DATA", "$HOME/x", "AUTHSVC_DATA starts with $HOME, which only a shell replaces"],
    ["AUTHSVC_DATA", "${DATA_DIR}", "AUTHSVC_DATA starts with ${DATA_DIR}, which only a shell replaces"],
    ["AUTHSVC_LISTEN__TLS__CERT_FILE", "~ada/cert.pem", "AUTHSVC_LISTEN__TLS__CERT_FILE starts with ~"],
    ["AUTHSVC_MASTER_KEY_FILE", "~/key", "AUTHSVC_MASTER_KEY_FILE starts with ~"],
    [
      "AUTHSVC_DATABASE__URL_FILE",
      "postgres://u:hunter2@db/auth",
      "AUTHSVC_DATABASE__URL_FILE must be the path of a file; the value itself belongs in database.url",
    ],
    [
      "AUTHSVC_MAIL__SMTP_URL_FILE",
      "smtps://u:hun/ter2@mail",
      "must be the path of a file; the value itself belongs in mail.smtpUrl",
    ],
    ["AUTHSVC_MASTER_KEY_FILE", "A".repeat(43), "must be the path of a file; the value itself belongs in masterKey"],
  ])("shows the value as it was read, but no secret: %s=%s", (name, value, ending) => {
    const message = refusal({ [name]: value });
    expect(message.endsWith(ending) || message.startsWith(ending)).toBe(true);
    expect(message).not.toMatch(/hunter2|ter2|A{43}/u);
  });

  test("a folder named ~ is not made by the file or a flag", () => {
    file("config.yaml", "data: ~/x\n");
    expect(refusal()).toContain("config.yaml line 1, column 1: data starts with ~");
    file("config.yaml", "");
    expect(refusal({}, { data: "~/x" })).toContain("--data starts with ~");
  });

  test.each(inEnvironment)("in the environment: %s=%s", (name, value, message) => {
    expect(refusal({ [name]: value })).toContain(message);
  });
});
