import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { parseSender, parseSmtpUrl } from "../../src/config/mail.ts";
import { AppError } from "../../src/lib/errors.ts";

function load(env: Record<string, string>) {
  return loadConfig({ env, flags: {}, cwd: import.meta.dirname }).config.mail;
}

function refusal(env: Record<string, string>): string {
  try {
    load(env);
  } catch (error) {
    return error instanceof AppError ? `${error.code}: ${error.message}` : String(error);
  }
  return "accepted";
}

const url = { AUTHSVC_MAIL__SMTP_URL: "smtps://mail.example.com" };
const from = { AUTHSVC_MAIL__FROM: "Acme <auth@example.com>" };

describe("mail.smtpUrl", () => {
  const plain = { user: undefined, password: undefined };
  it.each([
    ["smtps://mail.example.com", { ...plain, host: "mail.example.com", port: 465, tls: "from-start" }],
    ["smtp://mail.example.com", { ...plain, host: "mail.example.com", port: 587, tls: "upgrade" }],
    ["smtp://mail.example.com:25/", { ...plain, host: "mail.example.com", port: 25, tls: "upgrade" }],
    ["smtp://mailpit:1025?tls=none", { ...plain, host: "mailpit", port: 1025, tls: "none" }],
    ["smtp://localhost:1025", { ...plain, host: "localhost", port: 1025, tls: "none" }],
    ["smtp://127.0.0.1", { ...plain, host: "127.0.0.1", port: 587, tls: "none" }],
    ["smtp://[::1]:25", { ...plain, host: "::1", port: 25, tls: "none" }],
    ["smtps://u%40x:p%2F%3A%20w@h", { host: "h", port: 465, tls: "from-start", user: "u@x", password: "p/: w" }],
  ])("%s", (text, expected) => {
    expect(parseSmtpUrl(text)).toEqual(expected);
  });

  it.each([
    "mail.example.com",
    "http://mail.example.com",
    "smtp:mail.example.com",
    "smtp://",
    "smtp://h/path",
    "smtp://h#x",
    "smtp://h?tls=no",
    "smtp://h?ignoreTLS=true",
    "smtps://h?tls=none",
    "smtps://h:99999",
    "smtps://h:0",
    "smtp://user@h",
    "smtp://:password@h",
    "smtp://u%0d%0aMAIL:p@h",
    "smtp://u:%zz@h",
    "smtp://a b",
    "smtp://h\r\n",
    "smtp://a_b",
  ])("refuses %j", (text) => {
    expect(parseSmtpUrl(text)).toBeUndefined();
  });
});

describe("mail.from", () => {
  it.each([
    ["auth@example.com", { name: undefined, address: "auth@example.com" }],
    ["Acme <auth@example.com>", { name: "Acme", address: "auth@example.com" }],
    ['"Acme, Inc." <Auth@example.com>', { name: "Acme, Inc.", address: "Auth@example.com" }],
    ["Auth@Bücher.example", { name: undefined, address: "Auth@xn--bcher-kva.example" }],
    ["<auth@example.com>", { name: undefined, address: "auth@example.com" }],
  ])("%s", (text, expected) => {
    expect(parseSender(text)).toEqual(expected);
  });

  it.each(["auth", "auth@", "a@b.example, c@d.example", "Acme <a@b.example> <c@d.example>", "Acme a@b.example", "<>"])(
    "refuses %j",
    (text) => {
      expect(parseSender(text)).toBeUndefined();
    },
  );
});

describe("the settings of mail", () => {
  it("are complete or absent", () => {
    expect(load({})).toBeUndefined();
    expect(load({ ...url, ...from })).toEqual({
      server: { host: "mail.example.com", port: 465, user: undefined, password: undefined, tls: "from-start" },
      from: { name: "Acme", address: "auth@example.com" },
    });
    expect(refusal(url)).toBe("INVALID_CONFIG: AUTHSVC_MAIL__SMTP_URL also needs mail.from, the sender address");
    expect(refusal(from)).toBe("INVALID_CONFIG: AUTHSVC_MAIL__FROM also needs mail.smtpUrl, the mail server");
  });

  it.each<[Record<string, string>, string | undefined]>([
    [{}, undefined],
    [{ AUTHSVC_BASE_URL: "https://Auth.Example.com:8443" }, "auth.example.com"],
    [{ AUTHSVC_BASE_URL: "https://bücher.example" }, "xn--bcher-kva.example"],
    [{ AUTHSVC_BASE_URL: "https://203.0.113.7" }, "[203.0.113.7]"],
    [{ AUTHSVC_BASE_URL: "https://[2001:db8::1]" }, "[IPv6:2001:db8::1]"],
    [{ AUTHSVC_BASE_URL: "https://auth.example.com", AUTHSVC_MAIL__EHLO_NAME: "mx.example.com" }, "mx.example.com"],
  ])("%j introduce the service as %s", (env, name) => {
    const behindProxy = { ...url, ...from, AUTHSVC_TRUSTED_PROXIES: "127.0.0.1" };
    expect(load({ ...behindProxy, ...env })?.server.ehloName).toBe(name);
  });

  it("are refused without being repeated", () => {
    const wrong = refusal({ ...from, AUTHSVC_MAIL__SMTP_URL: "smtp://user:secret@h/path" });
    expect(wrong).toMatch(/^INVALID_CONFIG: AUTHSVC_MAIL__SMTP_URL must be smtp:\/\/HOST/u);
    expect(wrong).not.toContain("secret");
  });

  it("may keep the password in a file", () => {
    const file = join(mkdtempSync(join(tmpdir(), "authsvc-test-")), "smtp-url");
    writeFileSync(file, "smtps://authsvc:secret@mail.example.com\n", { mode: 0o600 });
    expect(load({ ...from, AUTHSVC_MAIL__SMTP_URL_FILE: file })?.server.password).toBe("secret");
  });
});
