import { randomBytes } from "node:crypto";
import { readSecretFile } from "../ask.ts";
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

/** How a setting is given on the command line. */
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
 * The settings of a new installation, from flags, and on a terminal from a person; `check` says what is wrong with the value of one setting.
 * Throws INVALID_REQUEST for what is missing.
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
      "The address under which browsers reach this service. Links and tokens carry it; passkeys belong to its host.",
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
      about: "The folder for the database and the key that encrypts secrets. Back it up, and keep it private.",
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
      if (given !== undefined) return given;
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
        "Somebody must hold the certificate: a proxy such as Caddy or nginx in front of the service, or the service itself.",
        "Who ends https",
        {
          here: "a proxy on this machine",
          elsewhere: "a proxy on another machine",
          files: "the service, with certificate files",
        },
      );
  if (way === "here" || way === "elsewhere" || trustedProxy !== undefined) {
    const proxies = trustedProxy ?? (way === "here" ? ["127.0.0.1", "::1"] : [await askForProxy(ask)]);
    values.set("trustedProxies", proxies);
    // A proxy elsewhere cannot reach the loopback address that is listened on by default.
    if (!proxies.every((proxy) => /^(?:127\.|::1)/u.test(proxy))) values.set("listen.host", "0.0.0.0");
    return;
  }
  const about = "PEM, with the whole chain; read again on SIGHUP.";
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
    about: "Only what comes from here is believed when it says who the client is.",
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
  // All nodes on one database need the same key, so that none of them may make its own.
  else if (url !== undefined) values.set("masterKey", randomBytes(32).toString("base64url"));
}

async function databaseUrl(io: Io, ask: Ask, file: string | undefined): Promise<string | undefined> {
  if (file !== undefined) return await readSecretFile(io, file, "--database-url-file");
  if (!canAsk(io)) return undefined;
  const kind = await ask.choice(
    "SQLite needs nothing and serves one machine; several machines share a PostgreSQL database.",
    "Database",
    { sqlite: "SQLite, in the data folder", postgres: "PostgreSQL" },
  );
  return kind === "sqlite"
    ? undefined
    : await ask.unseen("database.url", {
        about: "postgres://USER:PASSWORD@HOST/DATABASE",
        question: "Address of the database",
      });
}

async function askForMail(io: Io, ask: Ask, { smtpUrlFile, mailFrom }: InitFlags, values: Values): Promise<void> {
  const url = await smtpUrl(io, ask, smtpUrlFile);
  if (url === undefined && mailFrom === undefined) return;
  if (url !== undefined) values.set("mail.smtpUrl", url);
  values.set(
    "mail.from",
    await ask.text("mail.from", mailFrom, {
      about: "Who mails come from: an address, or a name and an address such as Acme <auth@example.com>.",
      question: "Sender",
    }),
  );
}

async function smtpUrl(io: Io, ask: Ask, file: string | undefined): Promise<string | undefined> {
  if (file !== undefined) return await readSecretFile(io, file, "--smtp-url-file");
  if (!canAsk(io)) return undefined;
  const wanted = await ask.choice(
    "Mail verifies addresses and resets passwords. Without it, addresses stay unverified and nobody can reset a password.",
    "Mail server",
    { none: "none for now", smtp: "an SMTP server" },
  );
  return wanted === "none"
    ? undefined
    : await ask.unseen("mail.smtpUrl", {
        about: "smtps://USER:PASSWORD@HOST, or smtp:// for STARTTLS.",
        question: "Address of the mail server",
      });
}

function missing(what: string): AppError {
  return new AppError("INVALID_REQUEST", `${what} is missing`);
}

function sentence(problem: string | undefined): string | true {
  return problem === undefined ? true : `It ${problem}.`;
}
