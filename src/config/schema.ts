import { parseSender, parseSmtpUrl } from "./mail.ts";
import { canonicalOrigin, isAddressOrNetwork, isHost } from "./network.ts";
import { flag, list, oneOf, secret, text, wholeNumber, type Rule } from "./rules.ts";

/** What a person needs to know about a setting; the example file and `config` commands are made from it. */
export type SettingDoc = {
  about: string;
  /** Shown in the example where there is no default, or where the default is not a plain value. */
  example?: string;
  /** Never printed; may also be given as `…File`. */
  secret?: true;
  /** A file or folder: relative ones start at the folder of `config.yaml`, or at the working directory for variables and flags. */
  path?: true;
};

/** One setting: what its value must be, what it is when none is given, and what a person needs to know. */
export type SettingSchema<T> = { rule: Rule<T>; defaultValue: T; doc: SettingDoc };

/** What a group of settings becomes: each is its value. */
type Values<Group> = {
  [Name in keyof Group]: Group[Name] extends SettingSchema<infer T> ? T : Values<Group[Name]>;
};

function withDefault<T>(rule: Rule<T>, defaultValue: NoInfer<T>, doc: SettingDoc): SettingSchema<T> {
  return { rule, defaultValue, doc };
}

/** `undefined` where no value is given. */
function optional<T>(rule: Rule<T>, doc: SettingDoc): SettingSchema<T | undefined> {
  return { rule, defaultValue: undefined, doc };
}

const path = text("must be the path of a file");
const host = text("must be an IP address or a host name", (value) => isHost(value.replace(/^\[(.*)\]$/, "$1")));
const port = wholeNumber(0, 65535);
const perMinute = wholeNumber(1, 1_000_000);

/** Every setting, in the order of the example file. What one value must look like stands here, what two must be together in `complete.ts`. */
export const settingsSchema = {
  baseUrl: optional(
    text(
      "must be https://HOST or http://HOST with at most a port: no path, query, fragment or user name",
      (value) => canonicalOrigin(value) !== undefined,
    ),
    {
      about:
        "The address under which browsers and apps reach the service. Links, token issuer and cookies come from it, never from a request. " +
        "It must be https, unless it is an address of this machine. Default: http://localhost and the port.",
      example: "https://auth.example.com",
    },
  ),
  data: withDefault(text("must be the path of a folder"), "./data", {
    about:
      "The folder for what the service keeps: authsvc.db and master.key. Default: ./data in the working directory. Flag: --data.",
    path: true,
  }),
  listen: {
    host: withDefault(host, "127.0.0.1", {
      about:
        "The address to listen on. 0.0.0.0 or :: is every address of this machine, and needs a baseUrl. Flag: --host.",
    }),
    port: withDefault(port, 8080, {
      about: "The port to listen on; 0 picks a free one. Flag: --port.",
    }),
    tls: {
      certFile: optional(path, {
        about:
          "Certificate chain (PEM). With this and keyFile the service itself speaks https; both are read again on SIGHUP. Default: none.",
        example: "/etc/authsvc/tls/fullchain.pem",
        path: true,
      }),
      keyFile: optional(path, {
        about: "Private key of the certificate (PEM). Default: none.",
        example: "/etc/authsvc/tls/privkey.pem",
        path: true,
      }),
    },
  },
  trustedProxies: withDefault(
    list(text("must be an IP address or a network such as 10.0.0.0/8", isAddressOrNetwork)),
    [],
    {
      about:
        "Addresses or networks of the proxies that end https in front of the service. Only their X-Forwarded-For and X-Forwarded-Proto are believed. Default: none.",
      example: "[10.0.0.0/8, 127.0.0.1]",
    },
  ),
  database: {
    url: optional(
      secret("must start with postgres:// or postgresql://", (value) => /^postgres(ql)?:\/\/./.test(value)),
      {
        about: "A PostgreSQL database. Default: SQLite, in the data folder.",
        example: "postgres://authsvc:password@db.example.com/authsvc",
        secret: true,
      },
    ),
    urlFile: optional(path, {
      about: "The same, read from a file.",
      example: "/run/secrets/database-url",
      path: true,
    }),
    poolSize: withDefault(wholeNumber(1, 1000), 10, { about: "Connections to PostgreSQL at most." }),
  },
  masterKey: optional(
    secret("must be 43 base64url characters (256 random bits), as authsvc writes to master.key", (value) =>
      /^[\w-]{43}$/.test(value),
    ),
    {
      about:
        "The key that encrypts stored secrets; every node needs the same one. Default: master.key in the data folder, made at the first start. " +
        "Make one with: openssl rand -base64 32 | tr '+/' '-_' | tr -d '='",
      example: "(43 base64url characters)",
      secret: true,
    },
  ),
  masterKeyFile: optional(path, {
    about: "The same, read from a file.",
    example: "/run/secrets/master-key",
    path: true,
  }),
  mail: {
    smtpUrl: optional(
      secret(
        "must be smtp://HOST or smtps://HOST, with USER:PASSWORD@ before it and a port behind it where needed",
        (value) => parseSmtpUrl(value) !== undefined,
      ),
      {
        about:
          "The mail server. smtps:// speaks TLS from the start (port 465), smtp:// insists on STARTTLS (port 587), except towards this machine; " +
          "?tls=none at the end sends in the clear. Characters such as @ or / in a password are written %40, %2F. " +
          "Default: none; no mail is sent, and addresses stay unverified.",
        example: "smtps://authsvc:password@mail.example.com",
        secret: true,
      },
    ),
    smtpUrlFile: optional(path, { about: "The same, read from a file.", example: "/run/secrets/smtp-url", path: true }),
    from: optional(
      text(
        "must be an address, or a name and an address: Acme <auth@example.com>",
        (value) => parseSender(value) !== undefined,
      ),
      {
        about:
          "The sender of every mail, needed with smtpUrl. Without a name in it, a mail carries the name of its app.",
        example: "auth@example.com",
      },
    ),
  },
  passwords: {
    memoryKiB: withDefault(wholeNumber(8, 4_194_304), 19_456, {
      about:
        "argon2id: memory for one hash, in KiB. A stored hash that is weaker than these three settings is renewed at the next sign-in.",
    }),
    iterations: withDefault(wholeNumber(1, 1000), 2, { about: "argon2id: passes over the memory." }),
    parallelism: withDefault(wholeNumber(1, 64), 1, { about: "argon2id: lanes." }),
    concurrency: optional(wholeNumber(1, 64), {
      about: "Hashes computed at the same time. Default: one per processor core, at most 4.",
      example: "2",
    }),
    queueSize: optional(wholeNumber(1, 100_000), {
      about:
        "Hashes that may wait; more are answered 429 at once. Default: 64 times concurrency, which drains in about a second.",
      example: "128",
    }),
    attemptsPerMinute: withDefault(wholeNumber(1, 1_000_000), 10, {
      about: "Password attempts a minute from one address.",
    }),
  },
  rateLimits: {
    authentication: withDefault(perMinute, 100, {
      about: "Calls a minute to /auth and /oauth, and posts of the sign-in pages.",
    }),
    userManagement: withDefault(perMinute, 500, { about: "Calls a minute to /users and /api/user." }),
    applicationManagement: withDefault(perMinute, 100, {
      about: "Calls a minute to /applications and /api/config.",
    }),
    webhooks: withDefault(perMinute, 1000, { about: "Calls a minute to /webhooks." }),
  },
  webhooks: {
    allowPrivateNetworks: withDefault(flag, false, {
      about:
        "Whether webhooks may go to addresses that only this machine's network reaches, and by http to this machine itself. " +
        "Whoever holds an API key can then make the service send requests there.",
    }),
    // The ten attempts at a delivery take up to 91 hours: what is kept for less would be lost before the last of them.
    retentionDays: withDefault(wholeNumber(4, 3650), 30, {
      about:
        "How long events and what became of their deliveries are kept, in days; at least 4, which the retries take.",
    }),
  },
  metrics: {
    host: withDefault(host, "127.0.0.1", {
      about:
        "The address on which metrics can be read; they tell nothing about persons, but much about the service, and ask nobody who they are.",
    }),
    port: optional(port, {
      about:
        "The port for GET /metrics, in the format of Prometheus; another one than listen.port. Default: none, and nothing is measured.",
      example: "9464",
    }),
  },
  log: {
    level: withDefault(oneOf(["debug", "info", "warn", "error", "silent"]), "info", {
      about: "debug, info, warn, error or silent.",
    }),
    format: optional(oneOf(["json", "text"]), {
      about: "json or text. Default: json; text with serve --dev.",
      example: "json",
    }),
    requests: withDefault(oneOf(["none", "errors", "all"]), "errors", {
      about:
        "Which requests get a line at level info: none, errors (refused, failed, or a second or slower; at most 100 lines a second) or all. " +
        "At level debug all of them have one.",
    }),
  },
};

export type Settings = Values<typeof settingsSchema>;
