import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "../../src/config/config.ts";
import type { ConfigFlags } from "../../src/config/config.ts";
import { exampleConfig } from "../../src/config/example.ts";
import { day } from "../../src/lib/clock.ts";
import { isLoopbackHost } from "../../src/lib/loopback.ts";
import { allSettings } from "../../src/config/settings.ts";
import { AppError } from "../../src/lib/errors.ts";
import { nextAttemptAt } from "../../src/webhooks/delivery.ts";

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
      /^INVALID_CONFIG: AUTHSVC_BASE_URL must be https:\/\/HOST or http:\/\/HOST with at most a port/,
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
    "AUTHSVC_LISTEN__TLS__CERT_FILE needs listen.tls.keyFile",
  );
  expect(refusal({ AUTHSVC_LISTEN__TLS__KEY_FILE: "k" })).toContain(
    "AUTHSVC_LISTEN__TLS__KEY_FILE needs listen.tls.certFile",
  );
});

describe("argon2id parameters", () => {
  test("below OWASP's minimum are allowed with a warning, below what argon2 can do refused", () => {
    const memory = (memoryKiB: number, iterations: number) =>
      load({ AUTHSVC_PASSWORDS__MEMORY_KIB: String(memoryKiB), AUTHSVC_PASSWORDS__ITERATIONS: String(iterations) })
        .warnings;
    expect(memory(8, 1)).toEqual([
      expect.stringContaining("AUTHSVC_PASSWORDS__MEMORY_KIB is below the 47104 that OWASP asks for"),
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

test("weak but allowed choices are pointed out", () => {
  expect(load({ AUTHSVC_BASE_URL: "https://192.0.2.1", ...proxy }).warnings).toEqual([
    expect.stringContaining("passkeys work only under a host name"),
  ]);
  expect(load({ AUTHSVC_TRUSTED_PROXIES: "0.0.0.0/0" }).warnings).toEqual([
    expect.stringContaining("AUTHSVC_TRUSTED_PROXIES holds every address"),
  ]);
});

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
