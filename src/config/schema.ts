import * as z from "zod";
import { parseSender, parseSmtpUrl } from "./mail.ts";
import { canonicalOrigin, isAddressOrNetwork, isHost } from "./network.ts";

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

export const settingDocs = z.registry<SettingDoc>();

function wholeNumber(minimum: number, maximum: number) {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int(rule).min(minimum, rule).max(maximum, rule);
}

function text(rule: string, holds: (value: string) => boolean = () => true) {
  // Control characters in a path or an address are never meant, and NUL makes file calls throw.
  // oxlint-disable-next-line no-control-regex
  return z.string(rule).refine((value) => value !== "" && !/[\u0000-\u001f\u007f]/.test(value) && holds(value), rule);
}

function secret(rule: string, holds: (value: string) => boolean) {
  return z.string(rule).refine(holds, rule);
}

function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, `must be one of ${values.join(", ")}`);
}

function flag(defaultValue: boolean) {
  return z.boolean("must be true or false").default(defaultValue);
}

const path = () => text("must be the path of a file");
const perMinute = (calls: number) => wholeNumber(1, 1_000_000).default(calls);

/** Every setting, in the order of the example file. What one value must look like stands here, what two must be together in `complete.ts`. */
export const settingsSchema = z.strictObject({
  baseUrl: text(
    "must be https://HOST or http://HOST with at most a port: no path, query, fragment or user name",
    (value) => canonicalOrigin(value) !== undefined,
  )
    .optional()
    .register(settingDocs, {
      about:
        "The address under which browsers and apps reach the service. Links, token issuer and cookies come from it, never from a request. " +
        "It must be https, unless it is an address of this machine. Default: http://localhost and the port.",
      example: "https://auth.example.com",
    }),
  data: text("must be the path of a folder").default("./data").register(settingDocs, {
    about:
      "The folder for what the service keeps: authsvc.db and master.key. Default: ./data in the working directory. Flag: --data.",
    path: true,
  }),
  listen: z.strictObject({
    host: text("must be an IP address or a host name", (value) => isHost(value.replace(/^\[(.*)\]$/, "$1")))
      .default("127.0.0.1")
      .register(settingDocs, {
        about:
          "The address to listen on. 0.0.0.0 or :: is every address of this machine, and needs a baseUrl. Flag: --host.",
      }),
    port: wholeNumber(0, 65535)
      .default(8080)
      .register(settingDocs, { about: "The port to listen on; 0 picks a free one. Flag: --port." }),
    tls: z.strictObject({
      certFile: path().optional().register(settingDocs, {
        about:
          "Certificate chain (PEM). With this and keyFile the service itself speaks https; both are read again on SIGHUP. Default: none.",
        example: "/etc/authsvc/tls/fullchain.pem",
        path: true,
      }),
      keyFile: path().optional().register(settingDocs, {
        about: "Private key of the certificate (PEM). Default: none.",
        example: "/etc/authsvc/tls/privkey.pem",
        path: true,
      }),
    }),
  }),
  trustedProxies: z
    .array(
      z
        .string("must be an IP address or a network such as 10.0.0.0/8")
        .refine(isAddressOrNetwork, "must be an IP address or a network such as 10.0.0.0/8"),
      "must be a list",
    )
    .default([])
    .register(settingDocs, {
      about:
        "Addresses or networks of the proxies that end https in front of the service. Only their X-Forwarded-For and X-Forwarded-Proto are believed. Default: none.",
      example: "[10.0.0.0/8, 127.0.0.1]",
    }),
  database: z.strictObject({
    url: secret("must start with postgres:// or postgresql://", (value) => /^postgres(ql)?:\/\/./.test(value))
      .optional()
      .register(settingDocs, {
        about: "A PostgreSQL database. Default: SQLite, in the data folder.",
        example: "postgres://authsvc:password@db.example.com/authsvc",
        secret: true,
      }),
    urlFile: path().optional().register(settingDocs, {
      about: "The same, read from a file.",
      example: "/run/secrets/database-url",
      path: true,
    }),
    poolSize: wholeNumber(1, 1000).default(10).register(settingDocs, { about: "Connections to PostgreSQL at most." }),
  }),
  masterKey: secret("must be 43 base64url characters (256 random bits), as authsvc writes to master.key", (value) =>
    /^[\w-]{43}$/.test(value),
  )
    .optional()
    .register(settingDocs, {
      about:
        "The key that encrypts stored secrets; every node needs the same one. Default: master.key in the data folder, made at the first start. " +
        "Make one with: openssl rand -base64 32 | tr '+/' '-_' | tr -d '='",
      example: "(43 base64url characters)",
      secret: true,
    }),
  masterKeyFile: path()
    .optional()
    .register(settingDocs, { about: "The same, read from a file.", example: "/run/secrets/master-key", path: true }),
  mail: z.strictObject({
    smtpUrl: secret(
      "must be smtp://HOST or smtps://HOST, with USER:PASSWORD@ before it and a port behind it where needed",
      (value) => parseSmtpUrl(value) !== undefined,
    )
      .optional()
      .register(settingDocs, {
        about:
          "The mail server. smtps:// speaks TLS from the start (port 465), smtp:// insists on STARTTLS (port 587), except towards this machine; " +
          "?tls=none at the end sends in the clear. Characters such as @ or / in a password are written %40, %2F. " +
          "Default: none; no mail is sent, and addresses stay unverified.",
        example: "smtps://authsvc:password@mail.example.com",
        secret: true,
      }),
    smtpUrlFile: path()
      .optional()
      .register(settingDocs, { about: "The same, read from a file.", example: "/run/secrets/smtp-url", path: true }),
    from: text(
      "must be an address, or a name and an address: Acme <auth@example.com>",
      (value) => parseSender(value) !== undefined,
    )
      .optional()
      .register(settingDocs, {
        about:
          "The sender of every mail, needed with smtpUrl. Without a name in it, a mail carries the name of its app.",
        example: "auth@example.com",
      }),
  }),
  passwords: z.strictObject({
    memoryKiB: wholeNumber(8, 4_194_304).default(19_456).register(settingDocs, {
      about:
        "argon2id: memory for one hash, in KiB. A stored hash that is weaker than these three settings is renewed at the next sign-in.",
    }),
    iterations: wholeNumber(1, 1000).default(2).register(settingDocs, { about: "argon2id: passes over the memory." }),
    parallelism: wholeNumber(1, 64).default(1).register(settingDocs, { about: "argon2id: lanes." }),
    concurrency: wholeNumber(1, 64).optional().register(settingDocs, {
      about: "Hashes computed at the same time. Default: one per processor core, at most 4.",
      example: "2",
    }),
    queueSize: wholeNumber(1, 100_000).optional().register(settingDocs, {
      about:
        "Hashes that may wait; more are answered 429 at once. Default: 64 times concurrency, which drains in about a second.",
      example: "128",
    }),
    attemptsPerMinute: wholeNumber(1, 1_000_000)
      .default(10)
      .register(settingDocs, { about: "Password attempts a minute from one address." }),
  }),
  rateLimits: z.strictObject({
    authentication: perMinute(100).register(settingDocs, {
      about: "Calls a minute to /auth and /oauth, and posts of the sign-in pages.",
    }),
    userManagement: perMinute(500).register(settingDocs, { about: "Calls a minute to /users and /api/user." }),
    applicationManagement: perMinute(100).register(settingDocs, {
      about: "Calls a minute to /applications and /api/config.",
    }),
    webhooks: perMinute(1000).register(settingDocs, { about: "Calls a minute to /webhooks." }),
  }),
  webhooks: z.strictObject({
    allowPrivateNetworks: flag(false).register(settingDocs, {
      about:
        "Whether webhooks may go to addresses that only this machine's network reaches, and by http to this machine itself. " +
        "Whoever holds an API key can then make the service send requests there.",
    }),
    // The ten attempts at a delivery take up to 91 hours: what is kept for less would be lost before the last of them.
    retentionDays: wholeNumber(4, 3650).default(30).register(settingDocs, {
      about:
        "How long events and what became of their deliveries are kept, in days; at least 4, which the retries take.",
    }),
  }),
  metrics: z.strictObject({
    host: text("must be an IP address or a host name", (value) => isHost(value.replace(/^\[(.*)\]$/, "$1")))
      .default("127.0.0.1")
      .register(settingDocs, {
        about:
          "The address on which metrics can be read; they tell nothing about persons, but much about the service, and ask nobody who they are.",
      }),
    port: wholeNumber(0, 65535).optional().register(settingDocs, {
      about:
        "The port for GET /metrics, in the format of Prometheus; another one than listen.port. Default: none, and nothing is measured.",
      example: "9464",
    }),
  }),
  log: z.strictObject({
    level: oneOf(["debug", "info", "warn", "error", "silent"])
      .default("info")
      .register(settingDocs, { about: "debug, info, warn, error or silent." }),
    format: oneOf(["json", "text"])
      .optional()
      .register(settingDocs, { about: "json or text. Default: json; text with serve --dev.", example: "json" }),
    requests: oneOf(["none", "errors", "all"])
      .default("errors")
      .register(settingDocs, {
        about:
          "Which requests get a line at level info: none, errors (refused, failed, or a second or slower; at most 100 lines a second) or all. " +
          "At level debug all of them have one.",
      }),
  }),
});

export type Settings = z.infer<typeof settingsSchema>;
