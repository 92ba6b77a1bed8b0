import { randomBytes } from "node:crypto";
import { readSecretFile } from "../input/ask.ts";
import { canAsk, write, type Io } from "../io.ts";
import { AppError } from "../../lib/errors.ts";

export type InitFlags = {
  baseUrl?: string;
  trustedProxy?: string[];
  tlsCertFile?: string;
  tlsKeyFile?: string;
  databaseUrlFile?: string;
  masterKeyFile?: string;
  smtpUrlFile?: string;
  mailFrom?: string;
};

/** The command line flag of a setting. */
export const flagOfSetting: Record<string, string> = {
  baseUrl: "--base-url",
  trustedProxies: "--trusted-proxy",
  "listen.tls.certFile": "--tls-cert-file",
  "listen.tls.keyFile": "--tls-key-file",
  data: "--data",
  "database.url": "--database-url-file",
  masterKeyFile: "--master-key-file",
  "mail.smtpUrl": "--smtp-url-file",
  "mail.from": "--mail-from",
};

type Values = Map<string, unknown>;
type Check = (key: string, value: unknown) => string | undefined;

/**
 * The settings of a new installation, from flags and, on a terminal, from a person. `check` returns
 * the problem of a setting's value. Throws INVALID_REQUEST for missing ones.
 */
export async function askForSettings(
  io: Io,
  flags: InitFlags,
  data: string | undefined,
  check: Check,
): Promise<Values> {
  const values: Values = new Map();
  const ask = createAsk(io, check);
  const baseUrl = await ask.text("baseUrl", flags.baseUrl, {
    about:
      "The URL at which browsers reach this service. Links and tokens contain it, and passkeys are bound to its host.",
    question: "Base URL",
    usual: "http://localhost:8080",
    isNeeded: true,
  });
  values.set("baseUrl", baseUrl);
  if (baseUrl.startsWith("https://")) await askForHttps(io, ask, flags, baseUrl, values);
  else if (URL.canParse(baseUrl)) values.set("listen.port", Number(new URL(baseUrl).port || 80));
  values.set(
    "data",
    await ask.text("data", data, {
      about: "The folder for the database and the master key. Back it up, and keep it private.",
      question: "Data folder",
      usual: "./data",
    }),
  );
  await askForDatabase(io, ask, flags, values);
  await askForMail(io, ask, flags, values);
  return values;
}

type Ask = ReturnType<typeof createAsk>;
type Question = { about: string; question: string; usual?: string; isNeeded?: boolean };

function createAsk(io: Io, check: Check) {
  const streams = { input: io.stdin, output: io.stderr };
  const explain = (about: string): Promise<void> => write(io.stderr, `\n${about}\n`);

  return {
    async text(
      key: string,
      given: string | undefined,
      { about, question, usual, isNeeded }: Question,
    ): Promise<string> {
      if (given !== undefined) {
        const problem = check(key, given);
        if (problem !== undefined) throw new AppError("INVALID_CONFIG", `${flagOfSetting[key] ?? key} ${problem}`);
        return given;
      }
      if (!canAsk(io)) {
        if (isNeeded || usual === undefined) throw missing(flagOfSetting[key] ?? key);
        return usual;
      }
      await explain(about);
      const { input } = await import("@inquirer/prompts");
      const validate = (value: string): string | true => sentence(check(key, value));
      return await input({ message: question, default: usual, validate }, streams);
    },

    async unseen(key: string, { about, question }: Question): Promise<string> {
      await explain(about);
      const { password } = await import("@inquirer/prompts");
      return await password({ message: question, validate: (value) => sentence(check(key, value)) }, streams);
    },

    async choice<Value extends string>(
      about: string,
      question: string,
      choices: Record<Value, string>,
    ): Promise<Value> {
      await explain(about);
      const { select } = await import("@inquirer/prompts");
      const listed = Object.entries(choices) as [Value, string][];
      return await select({ message: question, choices: listed.map(([value, name]) => ({ value, name })) }, streams);
    },
  };
}

async function askForHttps(io: Io, ask: Ask, flags: InitFlags, baseUrl: string, values: Values): Promise<void> {
  const { trustedProxy, tlsCertFile, tlsKeyFile } = flags;
  const isAnswered = trustedProxy !== undefined || tlsCertFile !== undefined || tlsKeyFile !== undefined;
  if (!isAnswered && !canAsk(io)) throw missing("--trusted-proxy (or --tls-cert-file and --tls-key-file)");
  const way = isAnswered
    ? undefined
    : await ask.choice(
        "TLS is terminated by a proxy such as Caddy or nginx in front of the service, or by the service itself.",
        "What terminates TLS",
        {
          here: "a proxy on this machine",
          elsewhere: "a proxy on another machine",
          files: "the service, with certificate files",
        },
      );
  if (way === "here" || way === "elsewhere" || trustedProxy !== undefined) {
    const proxies = trustedProxy ?? (way === "here" ? ["127.0.0.1", "::1"] : [await askForProxy(ask)]);
    values.set("trustedProxies", proxies);
    // A remote proxy cannot reach the loopback address, which is the default.
    if (!proxies.every((proxy) => /^(?:127\.|::1)/u.test(proxy))) values.set("listen.host", "0.0.0.0");
    return;
  }
  const about = "PEM, with the full chain. Reloaded on SIGHUP.";
  values.set(
    "listen.tls.certFile",
    await ask.text("listen.tls.certFile", tlsCertFile, { about, question: "Certificate file" }),
  );
  values.set(
    "listen.tls.keyFile",
    await ask.text("listen.tls.keyFile", tlsKeyFile, { about: "PEM.", question: "Private key file" }),
  );
  values.set("listen.host", "0.0.0.0");
  if (URL.canParse(baseUrl)) values.set("listen.port", Number(new URL(baseUrl).port || 443));
}

async function askForProxy(ask: Ask): Promise<string> {
  return await ask.text("trustedProxies", undefined, {
    about: "The client address in forwarded headers is trusted only from here.",
    question: "Address or network of the proxy",
  });
}

async function askForDatabase(
  io: Io,
  ask: Ask,
  { databaseUrlFile, masterKeyFile }: InitFlags,
  values: Values,
): Promise<void> {
  const url = await databaseUrl(io, ask, databaseUrlFile);
  if (url !== undefined) values.set("database.url", url);
  if (masterKeyFile !== undefined) values.set("masterKeyFile", masterKeyFile);
  // All nodes of a database need the same key, so none may create its own.
  else if (url !== undefined) values.set("masterKey", randomBytes(32).toString("base64url"));
}

async function databaseUrl(io: Io, ask: Ask, file: string | undefined): Promise<string | undefined> {
  if (file !== undefined) return await readSecretFile(io, file, "--database-url-file");
  if (!canAsk(io)) return undefined;
  const kind = await ask.choice(
    "SQLite needs no setup and serves one machine. Several machines need PostgreSQL.",
    "Database",
    { sqlite: "SQLite, in the data folder", postgres: "PostgreSQL" },
  );
  return kind === "sqlite"
    ? undefined
    : await ask.unseen("database.url", {
        about: "postgres://USER:PASSWORD@HOST/DATABASE",
        question: "Database URL",
      });
}

async function askForMail(io: Io, ask: Ask, { smtpUrlFile, mailFrom }: InitFlags, values: Values): Promise<void> {
  const url = await smtpUrl(io, ask, smtpUrlFile);
  if (url === undefined && mailFrom === undefined) return;
  if (url !== undefined) values.set("mail.smtpUrl", url);
  values.set(
    "mail.from",
    await ask.text("mail.from", mailFrom, {
      about: "The sender of mails: an address, or a name and an address such as Acme <auth@example.com>.",
      question: "Sender",
    }),
  );
}

async function smtpUrl(io: Io, ask: Ask, file: string | undefined): Promise<string | undefined> {
  if (file !== undefined) return await readSecretFile(io, file, "--smtp-url-file");
  if (!canAsk(io)) return undefined;
  const wanted = await ask.choice(
    "Mail is needed to verify addresses and reset passwords. Without it, neither is possible.",
    "Mail server",
    { none: "none for now", smtp: "an SMTP server" },
  );
  return wanted === "none"
    ? undefined
    : await ask.unseen("mail.smtpUrl", {
        about: "smtps://USER:PASSWORD@HOST, or smtp:// for STARTTLS.",
        question: "Mail server URL",
      });
}

function missing(what: string): AppError {
  return new AppError("INVALID_REQUEST", `${what} is missing`);
}

function sentence(problem: string | undefined): string | true {
  return problem === undefined ? true : `It ${problem}.`;
}
