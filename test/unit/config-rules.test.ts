import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { exampleConfig } from "../../src/config/example.ts";
import { loadConfig, type ConfigFlags } from "../../src/config/load.ts";
import { allSettings } from "../../src/config/settings.ts";
import { day } from "../../src/lib/clock.ts";
import { AppError } from "../../src/lib/errors.ts";
import { isLoopbackHost } from "../../src/lib/loopback.ts";
import { nextAttemptAt } from "../../src/records/webhooks/delivery.ts";

const root = join(import.meta.dirname, "../..");
// Holds no config.yaml.
const cwd = import.meta.dirname;

function load(env: Record<string, string>, flags: ConfigFlags = {}) {
  return loadConfig({ env, flags, cwd });
}

function refusal(env: Record<string, string>, flags: ConfigFlags = {}): string {
  try {
    load(env, flags);
  } catch (error) {
    return error instanceof AppError ? `${error.code}: ${error.message}` : String(error);
  }
  return "accepted";
}

const proxy = { AUTHSVC_TRUSTED_PROXIES: "10.0.0.1" };
const tls = { AUTHSVC_LISTEN__TLS__CERT_FILE: "c", AUTHSVC_LISTEN__TLS__KEY_FILE: "k" };

describe("baseUrl", () => {
  test.each([
    "https://h/path",
    "https://h?",
    "https://h/?a=b",
    "https://h#",
    "https://user@h",
    "https://u:p@h",
    "ftp://h",
    "javascript:alert(1)",
    "h",
    "https:h",
    "https:///h",
    "https:\\\\h",
    " https://h",
    "https://h h",
    "https://h//",
    "https://h:0",
    "https://h:99999",
    "http://[::1",
  ])("refuses %j", (value) => {
    expect(refusal({ AUTHSVC_BASE_URL: value, ...proxy })).toMatch(
      /^INVALID_CONFIG: AUTHSVC_BASE_URL must be https:\/\/HOST or http:\/\/HOST, optionally with a port/,
    );
  });

  test.each([
    ["https://AUTH.Example.com:443/", "https://auth.example.com"],
    ["https://auth.example.com:8443", "https://auth.example.com:8443"],
    ["http://localhost:8080/", "http://localhost:8080"],
    ["http://[::1]:8080", "http://[::1]:8080"],
    ["http://shop.localhost", "http://shop.localhost"],
  ])("%s becomes %s", (value, expected) => {
    expect(load({ AUTHSVC_BASE_URL: value, ...proxy }).config.baseUrl).toBe(expected);
  });

  test("of another machine must be https, by listen.tls or a trusted proxy", () => {
    expect(refusal({ AUTHSVC_BASE_URL: "http://auth.example.com", ...proxy })).toContain(
      "AUTHSVC_BASE_URL must start with https://",
    );
    expect(refusal({ AUTHSVC_BASE_URL: "http://192.168.1.5", ...proxy })).toContain(
      "AUTHSVC_BASE_URL must start with https://",
    );
    expect(refusal({ AUTHSVC_BASE_URL: "https://auth.example.com" })).toContain("trustedProxies");
    expect(refusal({ AUTHSVC_BASE_URL: "https://auth.example.com", ...proxy })).toBe("accepted");
    expect(refusal({ AUTHSVC_BASE_URL: "https://auth.example.com", ...tls })).toBe("accepted");
  });

  test("is needed when other machines can reach the service, or it speaks https itself", () => {
    expect(refusal({ AUTHSVC_LISTEN__HOST: "0.0.0.0" })).toContain("baseUrl is missing: AUTHSVC_LISTEN__HOST");
    expect(refusal({}, { host: "::" })).toContain("baseUrl is missing: --host");
    expect(refusal({ ...tls })).toContain("baseUrl is missing: AUTHSVC_LISTEN__TLS__CERT_FILE");
    expect(refusal({ AUTHSVC_LISTEN__HOST: "0.0.0.0", AUTHSVC_BASE_URL: "https://a.example", ...proxy })).toBe(
      "accepted",
    );
  });

  test("and listen.tls must say the same", () => {
    expect(refusal({ AUTHSVC_BASE_URL: "http://localhost:8080", ...tls })).toContain("because listen.tls is set");
  });
});

describe("development mode", () => {
  test("is for this machine only", () => {
    const dev = { dev: true };
    expect(refusal({}, { ...dev, host: "0.0.0.0" })).toContain("--host must be 127.0.0.1, ::1 or localhost with --dev");
    expect(refusal({ AUTHSVC_LISTEN__HOST: "10.0.0.1" }, dev)).toContain("AUTHSVC_LISTEN__HOST must be");
    expect(refusal({ AUTHSVC_BASE_URL: "https://auth.example.com", ...proxy }, dev)).toContain(
      "AUTHSVC_BASE_URL must be an address of this machine",
    );
    expect(refusal({ AUTHSVC_BASE_URL: "http://localhost:9000" }, { ...dev, host: "[::1]" })).toBe("accepted");
  });

  test("logs text unless told otherwise", () => {
    expect(load({}, { dev: true }).config).toMatchObject({ dev: true, log: { format: "text" } });
    expect(load({ AUTHSVC_LOG__FORMAT: "json" }, { dev: true }).config.log.format).toBe("json");
  });
});

test("events are kept for as long as their delivery is tried", () => {
  expect(refusal({ AUTHSVC_WEBHOOKS__RETENTION_DAYS: "3" })).toContain("must be a whole number from 4");
  let last = 0;
  for (let at: number | null = 0, attempts = 1; at !== null; attempts += 1) {
    last = at;
    at = nextAttemptAt({ attempts }, 1, at);
  }
  expect(last).toBeGreaterThan(3 * day);
  expect(last).toBeLessThan(4 * day);
});

test("half a certificate is refused", () => {
  expect(refusal({ AUTHSVC_LISTEN__TLS__CERT_FILE: "c" })).toContain(
    "AUTHSVC_LISTEN__TLS__CERT_FILE also needs listen.tls.keyFile",
  );
  expect(refusal({ AUTHSVC_LISTEN__TLS__KEY_FILE: "k" })).toContain(
    "AUTHSVC_LISTEN__TLS__KEY_FILE also needs listen.tls.certFile",
  );
});

describe("argon2id parameters", () => {
  test("below OWASP's minimum are allowed with a warning, below what argon2 can do refused", () => {
    const memory = (memoryKiB: number, iterations: number) =>
      load({ AUTHSVC_PASSWORDS__MEMORY_KIB: String(memoryKiB), AUTHSVC_PASSWORDS__ITERATIONS: String(iterations) })
        .warnings;
    expect(memory(8, 1)).toEqual([
      expect.stringContaining("AUTHSVC_PASSWORDS__MEMORY_KIB is below the 47104 that OWASP recommends"),
    ]);
    expect(memory(19_455, 2)).toHaveLength(1);
    expect(memory(19_456, 2)).toEqual([]);
    expect(memory(47_104, 1)).toEqual([]);
    expect(memory(7168, 9)).toEqual([]);
    expect(refusal({ AUTHSVC_PASSWORDS__MEMORY_KIB: "7" })).toContain(
      "AUTHSVC_PASSWORDS__MEMORY_KIB must be a whole number from 8",
    );
    expect(refusal({ AUTHSVC_PASSWORDS__MEMORY_KIB: "8", AUTHSVC_PASSWORDS__PARALLELISM: "2" })).toContain(
      "at least 8 times",
    );
  });

  test("the queue follows the concurrency", () => {
    expect(load({ AUTHSVC_PASSWORDS__CONCURRENCY: "3" }).config.passwords).toMatchObject({
      concurrency: 3,
      queueSize: 192,
    });
    expect(load({ AUTHSVC_PASSWORDS__QUEUE_SIZE: "5" }).config.passwords.queueSize).toBe(5);
  });
});

describe("database.url", () => {
  const refusedUrl = (url: string): string => refusal({ AUTHSVC_DATABASE__URL: url });

  test.each([
    "postgres://u:p@db.example.com/auth",
    "postgres://u:p@db.example.com/auth?sslmode=require",
    "postgres://u:p@db.example.com/auth?sslmode=verify-ca",
    "postgres://u:p@db.example.com/auth?sslmode=no-verify",
    "postgres://u:p@db.example.com/auth?sslmode=verify-full&sslmode=prefer",
    "postgres://u:p@db.example.com/auth?ssl=true",
    "postgres://u:p@localhost/auth?host=db.example.com",
    "postgres://u:p@localhost,db.example.com/auth",
    "postgres://u:p@localhost:5432,db.example.com:5433/auth?target_session_attrs=read-write",
    "postgres://u:p@/auth?host=/run/postgresql,db.example.com",
  ])("of another machine needs a checked certificate, or sslmode=disable: %s", (url) => {
    expect(refusedUrl(url)).toMatch(
      /^INVALID_CONFIG: AUTHSVC_DATABASE__URL has .*, and db\.example\.com is another machine: add sslmode=verify-full, or/u,
    );
  });

  test("with several hosts has a port for each or one for all, and asks for the one that can write", () => {
    expect(refusedUrl("postgres://u:p@a,b/auth?port=1,2,3")).toContain(
      "must have one port, or one for each of its hosts",
    );
    for (const asked of ["any", "standby", "prefer-standby", "read-only"])
      expect(refusedUrl(`postgres://u:p@[::1],localhost/auth?target_session_attrs=${asked}`)).toContain(
        `has target_session_attrs=${asked}, but the service writes: use target_session_attrs=read-write`,
      );
  });

  test.each([
    "a@b",
    "a/b",
    "a?b",
    "a#b",
    "a/b@c",
    "12/b",
    "12?b",
    "12#b",
    "12?b=c",
    "12?b&c",
    "/",
    "a:b/c",
    "a,b/c",
    "a@12/b",
    "a@12?b=c",
    "a]/b",
    "%E4",
  ])("prints no part of an unescaped password, and says what to encode: %s", (inside) => {
    for (const query of ["", "?sslmode=verify-full", "?sslmode=disable"]) {
      const url = `postgres://somebody:${inside}@localhost/auth${query}`;
      if (inside === "a@b") {
        expect(load({ AUTHSVC_DATABASE__URL: url }).config.database.url).toBe(url);
        continue;
      }
      expect(refusedUrl(url)).toBe(
        "INVALID_CONFIG: AUTHSVC_DATABASE__URL is ambiguous: write @ as %40, / as %2F, ? as %3F, # as %23 and % as %25 in user, password and database",
      );
    }
  });

  test("takes a user of the form name@server as a parameter", () => {
    const url = "postgres://localhost/auth?user=me@server&password=p@ss";
    expect(load({ AUTHSVC_DATABASE__URL: url }).warnings).toEqual([]);
  });

  test.each(["prefer", "require", "verify-ca"])("sslmode=%s of this machine is verify-full, in our words", (mode) => {
    expect(load({ AUTHSVC_DATABASE__URL: `postgres://u:p@localhost/auth?sslmode=${mode}` }).warnings).toEqual([
      `AUTHSVC_DATABASE__URL has sslmode=${mode}, which is taken as verify-full: the server's certificate is verified. Write sslmode=verify-full`,
    ]);
  });

  test.each(["schema", "currentSchema"])("%s= of other programs is pointed out", (name) => {
    expect(load({ AUTHSVC_DATABASE__URL: `postgres://u:p@localhost/auth?${name}=x` }).warnings).toEqual([
      `AUTHSVC_DATABASE__URL has ${name}=, which has no effect: name the schema by search_path=`,
    ]);
  });

  test("names its host: the environment of node-postgres would choose one otherwise", () => {
    for (const url of ["postgres:///auth", "postgres://u:p@/auth", "postgres://u:p@localhost,/auth"])
      expect(refusedUrl(url)).toContain("must name a host");
  });

  test.each([
    "postgres://u:p@localhost/auth",
    "postgres://u:p@127.0.0.1:5433/auth",
    "postgres://u:p@[::1]/auth",
    "postgres://u:p@localhost/auth?host=%2Frun%2Fpostgresql",
    "postgres:///auth?host=/run/postgresql",
    "postgres://u:p@/auth?host=/run/postgresql",
    "postgres://%2Frun%2Fpostgresql/auth",
    "postgres://u:p@db.example.com/auth?sslmode=verify-full",
    "postgres://u:p@db1.example.com:5432,db2.example.com:5433/auth?sslmode=verify-full&target_session_attrs=read-write",
  ])("of this machine may be without: %s", (url) => {
    expect(load({ AUTHSVC_DATABASE__URL: url }).warnings).toEqual([]);
  });
});

test("warns that Node verifies no certificate", () => {
  expect(load({ NODE_TLS_REJECT_UNAUTHORIZED: "0" }).warnings).toEqual([
    expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED is 0: the certificate of no provider/u),
  ]);
  expect(load({ NODE_TLS_REJECT_UNAUTHORIZED: "1" }).warnings).toEqual([]);
});

test("a port that is not the one of baseUrl is pointed out, where no proxy stands between", () => {
  const warned = [expect.stringContaining("AUTHSVC_BASE_URL says port 3000 and listen.port is 8080")];
  expect(load({ AUTHSVC_BASE_URL: "http://localhost:3000" }).warnings).toEqual(warned);
  const standard = [expect.stringContaining("says port 443 and AUTHSVC_LISTEN__PORT is 8443")];
  const env = { AUTHSVC_BASE_URL: "https://auth.example.com", AUTHSVC_LISTEN__PORT: "8443" };
  expect(load({ ...env, ...tls }).warnings).toEqual(standard);
  expect(load({ ...env, ...proxy }).warnings).toEqual([]);
  expect(load({ ...env, ...tls, AUTHSVC_LISTEN__PORT: "443" }).warnings).toEqual([]);
  expect(load({ ...env, ...tls, AUTHSVC_LISTEN__PORT: "0" }).warnings).toEqual([]);
});

test("weak but allowed choices are pointed out", () => {
  expect(load({ AUTHSVC_DATABASE__URL: "postgres://u:p@db.example.com/auth?sslmode=disable" }).warnings).toEqual([
    expect.stringContaining("sslmode=disable: traffic to db.example.com is not encrypted"),
  ]);
  expect(
    load({ AUTHSVC_DATABASE__URL: "postgres://u:p@a.example,localhost,b.example/auth?sslmode=disable" }).warnings,
  ).toEqual([expect.stringContaining("sslmode=disable: traffic to a.example and b.example is not encrypted")]);
  expect(load({ AUTHSVC_BASE_URL: "https://192.0.2.1", ...proxy }).warnings).toEqual([
    expect.stringContaining("passkeys work only under a host name"),
  ]);
  expect(load({ AUTHSVC_TRUSTED_PROXIES: "0.0.0.0/0" }).warnings).toEqual([
    expect.stringContaining("AUTHSVC_TRUSTED_PROXIES contains every address"),
  ]);
});

test.each(["0.0.0.0", "::", "[::]", "0:0:0:0:0:0:0:0"])(
  "metrics on %s are warned about, on one address not",
  (host) => {
    const env = { AUTHSVC_METRICS__PORT: "9464" };
    expect(load({ ...env, AUTHSVC_METRICS__HOST: host }).warnings).toEqual([
      expect.stringMatching(/AUTHSVC_METRICS__HOST is .*: anybody who can reach this machine can read the metrics/u),
    ]);
    expect(load({ ...env, AUTHSVC_METRICS__HOST: "10.0.0.7" }).warnings).toEqual([]);
    expect(load({ AUTHSVC_METRICS__HOST: host }).warnings).toEqual([]);
  },
);

test("this machine is known by all of its names, and by no other", () => {
  expect(
    ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "0:0:0:0:0:0:0:1"].filter(
      (host) => !isLoopbackHost(host),
    ),
  ).toEqual([]);
  const others = ["0.0.0.0", "::", "128.0.0.1", "localhost.example.com", "127.0.0.1.example.com", "shop.localhost", ""];
  expect(others.filter((host) => isLoopbackHost(host))).toEqual([]);
  expect(isLoopbackHost("shop.localhost", "localhost and below")).toBe(true);
});

describe("dns.servers", () => {
  const servers = (value: string, flags: ConfigFlags = {}) => refusal({ AUTHSVC_DNS__SERVERS: value }, flags);

  test.each(["10.0.0.53", "10.0.0.53:5353", "fd00::53", "[fd00::53]:5353", "10.0.0.53,1.1.1.1"])(
    "takes %s",
    (value) => {
      expect(servers(value)).toBe("accepted");
    },
  );

  test.each(["ns.example", "ns.example:53", "10.0.0.53:0", "[10.0.0.53]:53", "fe80::1%eth0", "10.0.0.0/8", "1.2.3"])(
    "refuses %s",
    (value) => {
      expect(servers(value)).toContain("AUTHSVC_DNS__SERVERS entry 1 must be an IP address, optionally with a port");
    },
  );

  test.each(["127.0.0.1", "127.0.0.53:5353", "[::1]:53", "0.0.0.0", "::", "::ffff:127.0.0.1"])(
    "names this machine (%s) in development mode only",
    (value) => {
      expect(servers(`10.0.0.53,${value}`)).toContain("must not name this machine");
      expect(servers(value, { dev: true })).toBe("accepted");
    },
  );
});

describe("the example file", () => {
  test("is what the schema describes", () => {
    expect(readFileSync(join(root, "config.example.yaml"), "utf8")).toBe(exampleConfig());
  });

  test("changes nothing as it stands", () => {
    const example = loadConfig({ env: {}, flags: { config: "config.example.yaml", data: "/d" }, cwd: root });
    expect(example).toEqual(load({}, { data: "/d" }));
  });

  test.each(allSettings)("has a line for $key that can be uncommented by itself", ({ key }) => {
    const path = key.split(".");
    const name = path.at(-1) ?? key;
    const line = new RegExp(`^${"  ".repeat(path.length - 1)}#(${name}: .*)$`, "m").exec(exampleConfig());
    expect([undefined, null, ""]).not.toContain((parse(line?.[1] ?? "") as Record<string, unknown>)[name]);
  });

  test("holds no key that somebody could leave in place", () => {
    expect(exampleConfig()).not.toMatch(/masterKey: [\w-]{43}$/m);
  });
});

test.skipIf(process.platform !== "linux")("threads that cannot serve are one, with a warning for a number", () => {
  const listens = (settings: Record<string, string>): [number | undefined, string[]] => {
    const { config, warnings } = load(settings);
    return [config.listen.threads, warnings.filter((warning) => warning.includes("THREADS"))];
  };
  const url = { AUTHSVC_DATABASE__URL: "postgres://u:p@localhost/auth" };
  expect(listens({})).toEqual([1, []]);
  expect(listens({ AUTHSVC_LISTEN__THREADS: "3" })).toEqual([3, []]);
  expect(listens({ ...url, AUTHSVC_LISTEN__THREADS: "3" })).toEqual([
    1,
    [
      "AUTHSVC_LISTEN__THREADS is 3, but HTTP is served by one thread with PostgreSQL, where several processes may serve",
    ],
  ]);
  expect(listens({ ...url, AUTHSVC_LISTEN__THREADS: "auto" })).toEqual([1, []]);
  expect(() => load({ AUTHSVC_LISTEN__THREADS: "0" })).toThrow("must be a whole number from 1 to 64 or auto");
});
