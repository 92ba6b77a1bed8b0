import { parseSender, parseSmtpUrl } from "./mail.ts";
import {
  canonicalOrigin,
  isAddressOrNetwork,
  isHost,
  isPrivateIssuer,
  isReleasesUrl,
  nameServerHost,
  parseListen,
  parseRetention,
  parseSyslogUrl,
} from "./network.ts";
import { flag, list, oneOf, secret, text, wholeNumber, wholeNumberOr, type Rule } from "./rules.ts";

/** Describes a setting to people, in the example file and the `config` commands. */
export type SettingDoc = {
  about: string;
  /** The value in the example file if there is no default, or no plain one. */
  example?: string;
  /** Never printed. It may also be given as `…File`. */
  secret?: true;
  /**
   * A file or folder. Relative paths start at the folder of `config.yaml`, or at the working
   * directory for variables and flags.
   */
  path?: true;
};

/** One setting: its rule, its default, and its description. */
export type SettingSchema<T> = { rule: Rule<T>; defaultValue: T; doc: SettingDoc };

/** The settings of a group, each replaced by its value. */
type Values<Group> = {
  [Name in keyof Group]: Group[Name] extends SettingSchema<infer T> ? T : Values<Group[Name]>;
};

function withDefault<T>(rule: Rule<T>, defaultValue: NoInfer<T>, doc: SettingDoc): SettingSchema<T> {
  return { rule, defaultValue, doc };
}

/** The default is `undefined`. */
function optional<T>(rule: Rule<T>, doc: SettingDoc): SettingSchema<T | undefined> {
  return { rule, defaultValue: undefined, doc };
}

const path = text("must be the path of a file");
const host = text("must be an IP address or a host name", (value) => isHost(value.replace(/^\[(.*)\]$/, "$1")));
const port = wholeNumber(0, 65535);
const perMinute = wholeNumber(1, 1_000_000);

/**
 * Every setting, in the order of the example file. Rules for one value are here; rules between
 * settings are in `complete.ts`.
 */
export const settingsSchema = {
  baseUrl: optional(
    text(
      "must be https://HOST or http://HOST, optionally with a port, without path, query, fragment or user name",
      (value) => canonicalOrigin(value) !== undefined,
    ),
    {
      about:
        "The URL at which browsers and apps reach the service: one for all applications, and without a path. Links, token issuer and cookies are derived from it, never from a request. " +
        "It must be https, except on this machine. Default: http://localhost and the port.",
      example: "https://auth.example.com",
    },
  ),
  data: withDefault(text("must be the path of a folder"), "./data", {
    about:
      "The data folder, which contains authsvc.db and master.key. Default: ./data in the working directory. Flag: --data.",
    path: true,
  }),
  listen: {
    host: withDefault(host, "127.0.0.1", {
      about:
        "The address to listen on. 0.0.0.0 or :: listens on every address of this machine, and needs a baseUrl. Flag: --host.",
    }),
    port: withDefault(port, 8080, {
      about: "The port to listen on; 0 picks a free one. Flag: --port.",
    }),
    tls: {
      certFile: optional(path, {
        about:
          "Certificate chain (PEM). With this and keyFile, the service itself terminates TLS; both are reloaded on SIGHUP. Default: none.",
        example: "/etc/authsvc/tls/fullchain.pem",
        path: true,
      }),
      keyFile: optional(path, {
        about: "Private key of the certificate (PEM). Default: none.",
        example: "/etc/authsvc/tls/privkey.pem",
        path: true,
      }),
    },
    maxConnections: optional(wholeNumber(1, 1_000_000), {
      about:
        "Maximum number of simultaneous connections, at most three quarters of the open-file limit (ulimit -n). Further ones are closed at once and logged. Default: that maximum.",
      example: "4096",
    }),
    threads: withDefault(wholeNumberOr("auto", 1, 64), 1, {
      about:
        "Threads that serve HTTP, with SQLite on Linux: a number, or auto (half of the cores; 1 with fewer than 4). With 1, the main thread serves. Flag: --threads.",
    }),
  },
  trustedProxies: withDefault(
    list(text("must be an IP address or a network such as 10.0.0.0/8", isAddressOrNetwork)),
    [],
    {
      about:
        "Addresses or networks of the proxies that terminate TLS in front of the service. X-Forwarded-For and X-Forwarded-Proto are trusted only from them. Default: none.",
      example: "[10.0.0.0/8, 127.0.0.1]",
    },
  ),
  database: {
    url: optional(
      secret("must start with postgres:// or postgresql://", (value) => /^postgres(ql)?:\/\/./.test(value)),
      {
        about:
          "The URL of a PostgreSQL database. For another machine, add ?sslmode=verify-full, which encrypts and verifies the server's certificate; " +
          "sslmode=disable does not encrypt. Several hosts (HOST1,HOST2) are a primary and its standbys: the writable one is used. " +
          "Default: SQLite, in the data folder.",
        example: "postgres://authsvc:password@db.example.com/authsvc?sslmode=verify-full",
        secret: true,
      },
    ),
    urlFile: optional(path, {
      about: "The same, from a file.",
      example: "/run/secrets/database-url",
      path: true,
    }),
    poolSize: withDefault(wholeNumber(1, 1000), 10, { about: "Maximum number of PostgreSQL connections." }),
  },
  masterKey: optional(
    secret("must be 43 base64url characters (256 random bits), as authsvc writes to master.key", (value) =>
      /^[\w-]{43}(?:\s+[\w-]{43}){0,3}$/.test(value),
    ),
    {
      about:
        "The key that encrypts stored secrets; every node needs the same one. During a rotation: the new key, then the old one, separated by a line break or space. " +
        "Default: the systemd credential master-key ($CREDENTIALS_DIRECTORY/master-key) if the service gets one, else master.key in the data folder, generated at the first start. " +
        "Generate one with: openssl rand -base64 32 | tr '+/' '-_' | tr -d '='",
      example: "(43 base64url characters)",
      secret: true,
    },
  ),
  masterKeyFile: optional(path, {
    about: "The same, from a file.",
    example: "/run/secrets/master-key",
    path: true,
  }),
  mail: {
    smtpUrl: optional(
      secret(
        "must be smtp://HOST or smtps://HOST, optionally with USER:PASSWORD@ before the host and :PORT after it; in both, write @ as %40, / as %2F, ? as %3F, # as %23 and % as %25",
        (value) => parseSmtpUrl(value) !== undefined,
      ),
      {
        about:
          "The mail server. smtps:// uses TLS from the start (port 465), smtp:// requires STARTTLS (port 587), except on this machine; " +
          "?tls=none sends unencrypted. Write characters such as @ or / in a password as %40, %2F. " +
          "Default: none; no mail is sent, and addresses stay unverified.",
        example: "smtps://authsvc:password@mail.example.com",
        secret: true,
      },
    ),
    smtpUrlFile: optional(path, { about: "The same, from a file.", example: "/run/secrets/smtp-url", path: true }),
    from: optional(
      text(
        "must be an address, or a name and an address: Acme <auth@example.com>",
        (value) => parseSender(value) !== undefined,
      ),
      {
        about: "The sender of every mail; required with smtpUrl. Without a display name, the app's name is used.",
        example: "auth@example.com",
      },
    ),
    ehloName: optional(host, {
      about:
        "The name by which the service introduces itself to the mail server (EHLO); some relays check it. Default: the host of baseUrl.",
      example: "auth.example.com",
    }),
    perHour: withDefault(wholeNumber(1, 1_000_000), 2000, {
      about:
        "Maximum number of mails per hour that visitors of one application can trigger, for each purpose (sign-up, reset, address verification). Above that, only resets for users without a valid earlier link are sent; the audit log records mail.limited.",
    }),
  },
  passwords: {
    memoryKiB: withDefault(wholeNumber(8, 4_194_304), 19_456, {
      about:
        "argon2id: memory of one hash, in KiB. A stored hash weaker than these three settings is replaced at the next sign-in.",
    }),
    iterations: withDefault(wholeNumber(1, 1000), 2, { about: "argon2id: number of passes." }),
    parallelism: withDefault(wholeNumber(1, 64), 1, { about: "argon2id: number of lanes." }),
    concurrency: optional(wholeNumber(1, 64), {
      about: "Maximum number of concurrent hashes. Default: one per processor core, at most 4.",
      example: "2",
    }),
    queueSize: optional(wholeNumber(1, 100_000), {
      about:
        "Maximum number of waiting hashes; further requests get 429 at once. Default: 64 times concurrency, about a second of work.",
      example: "128",
    }),
    minGuessesLog10: withDefault(wholeNumber(0, 30), 10, {
      about:
        "How many guesses a new password must withstand, as a power of ten: 10 means ten billion. " +
        "Keyboard patterns, sequences, dates, repetitions, common passwords and the user's own data withstand few. 0 turns the check off.",
    }),
    breachedFile: optional(path, {
      about:
        "A file of breached passwords, made by authsvc breached-passwords; new passwords in it are refused. " +
        "It is read at start, and a damaged file stops the start. Default: none.",
      example: "/var/lib/authsvc/breached.bin",
      path: true,
    }),
    attemptsPerMinute: withDefault(wholeNumber(1, 1_000_000), 10, {
      about: "Failed password attempts and new passwords per minute from one address.",
    }),
    puzzleAfter: withDefault(wholeNumber(0, 1000), 0, {
      about:
        "After sign-ins from one network failed at this many accounts within an hour, the browser solves a puzzle for every further sign-in by password from there. " +
        "The same holds for a password that failed at half as many accounts. A browser that has signed in to the account before solves none. 0: never.",
    }),
  },
  disposableDomainsFile: optional(path, {
    about:
      "A file of domains of disposable addresses, one a line; lines that begin with # are ignored. " +
      "Applications with signUpBlockDisposable refuse them. A file that cannot be read stops the start; later it is read again when it changes. Every node needs the same one. Default: none.",
    example: "/var/lib/authsvc/disposable.txt",
    path: true,
  }),
  rateLimits: {
    authentication: withDefault(perMinute, 100, {
      about: "Calls per minute to /auth and /oauth, and posts of the sign-in pages.",
    }),
    userManagement: withDefault(perMinute, 500, { about: "Calls per minute to /users and /api/user." }),
    applicationManagement: withDefault(perMinute, 100, {
      about: "Calls per minute to /applications and /api/config.",
    }),
    webhooks: withDefault(perMinute, 1000, { about: "Calls per minute to /webhooks." }),
  },
  webhooks: {
    allowPrivateNetworks: withDefault(flag, false, {
      about:
        "Whether webhooks may be sent to private networks, and over http to this machine; and keys of issuers that clients trust read there. " +
        "Anybody with an API key can then make the service send requests there.",
    }),
    // Ten delivery attempts take up to 91 hours. A shorter retention would delete deliveries before
    // the last attempt.
    retentionDays: withDefault(wholeNumber(4, 3650), 30, {
      about: "How long events and their deliveries are kept, in days; at least 4, because retries take that long.",
    }),
  },
  clientDocuments: {
    allowPrivateNetworks: withDefault(flag, false, {
      about:
        "Whether documents of unregistered clients may be fetched from private networks. " +
        "Anybody can then make the service connect to https ports there, and learn from the time of the answer whether something is there.",
    }),
  },
  dns: {
    servers: withDefault(
      list(text("must be an IP address, optionally with a port", (value) => nameServerHost(value) !== undefined)),
      [],
      {
        about:
          "Name servers that are asked about the domains and the providers of organizations, such as 10.0.0.53 or [fd00::53]:5353. Addresses of this machine are for development mode only. Default: those of the system.",
        example: "[10.0.0.53]",
      },
    ),
  },
  organizations: {
    privateIssuers: withDefault(list(text("must be an https URL (http only for this machine)", isPrivateIssuer)), [], {
      about:
        "Issuers in private networks that organizations may set as their provider, each written exactly as it names itself. " +
        "The service also connects to other addresses at the same host and port. An issuer of this machine is for development mode only, which needs no list for it. Default: none; issuers must have public addresses.",
      example: "[https://sso.internal.example.com/realms/main]",
    }),
  },
  audit: {
    retentionDays: withDefault(wholeNumber(7, 3650), 90, {
      about: "How long entries of the audit log are kept, in days. IP addresses in them are removed after 30 days.",
    }),
    retention: withDefault(
      list(
        text(
          "must be an action and days from 7 to 3650, such as user.login=365",
          (value) => parseRetention(value) !== undefined,
        ),
      ),
      [],
      {
        about:
          "Days for which entries of single actions are kept. user.login=365 is for one action, organization=3650 for all that begin with organization and a dot, too; the longest matching name counts. Set the same on every node. Default: none.",
        example: "[call.refused=14, organization=3650]",
      },
    ),
    syslog: {
      url: optional(
        text("must be tls://HOST, optionally with a port", (value) => parseSyslogUrl(value) !== undefined),
        {
          about:
            "A syslog receiver with TLS (RFC 5424, RFC 5425), which gets each entry of the audit log at least once and in order, from the first start with this setting on. The port is 6514 unless given. Default: none.",
          example: "tls://siem.example.com",
        },
      ),
      caFile: optional(path, {
        about:
          "The certificates (PEM) that the receiver's certificate must be signed by. It is read for each connection. Default: those of the system.",
        example: "/etc/authsvc/siem-ca.pem",
        path: true,
      }),
    },
  },
  metrics: {
    host: withDefault(host, "127.0.0.1", {
      about:
        "The address to serve metrics on. Metrics need no authentication; they contain nothing about people, but much about the service.",
    }),
    port: optional(port, {
      about:
        "The port for GET /metrics, in Prometheus format; must differ from listen.port. Default: none, and no metrics are collected.",
      example: "9464",
    }),
    hosts: withDefault(list(host), [], {
      about:
        "Host names that Prometheus uses, without a port. The Host header must be one of them, metrics.host, the connected address, or a name of this machine. Default: none.",
      example: "[authsvc.internal]",
    }),
  },
  console: {
    listen: optional(
      text("must be HOST:PORT, such as 127.0.0.1:9443", (value) => parseListen(value) !== undefined),
      {
        about:
          "The address of the console for a team, such as 127.0.0.1:9443; never the public one. Operators sign in at baseUrl. " +
          "Default: none. authsvc console needs no setting.",
        example: "127.0.0.1:9443",
      },
    ),
    baseUrl: optional(
      text(
        "must be https://HOST or http://HOST, optionally with a port, without path, query, fragment or user name",
        (value) => canonicalOrigin(value) !== undefined,
      ),
      {
        about:
          "The URL at which operators reach the console; required with console.listen. It must be https, except on this machine.",
        example: "https://console.internal.example.com",
      },
    ),
  },
  forwardAuth: {
    listen: optional(
      text("must be HOST:PORT, such as 127.0.0.1:9091", (value) => parseListen(value) !== undefined),
      {
        about:
          "The address at which reverse proxies ask for programs without a sign-in (clients of kind proxy); never the public one. " +
          "Only proxies in trustedProxies may ask. Default: none, and no program is protected.",
        example: "127.0.0.1:9091",
      },
    ),
    tls: {
      certFile: optional(path, {
        about:
          "Certificate chain (PEM) of this address, needed with keyFile unless it is one of this machine. Default: none.",
        example: "/etc/authsvc/tls/forward-auth.pem",
        path: true,
      }),
      keyFile: optional(path, {
        about: "Private key of the certificate (PEM). Default: none.",
        example: "/etc/authsvc/tls/forward-auth-key.pem",
        path: true,
      }),
    },
    plain: withDefault(flag, false, {
      about:
        "Whether forwardAuth.listen may be without TLS at an address that other machines can reach. Anybody who can read that network then reads the cookies and tokens of everybody.",
    }),
  },
  updates: {
    url: optional(text("must be an https URL without user name, query or fragment", isReleasesUrl), {
      about:
        "Where authsvc update finds releases: URL/latest/download/ and URL/download/vVERSION/ have the files of a release, as on GitHub. " +
        "Each must be signed, so it may be a mirror of your own. Default: none; update then needs --from.",
      example: "https://mirror.example.com/authsvc/releases",
    }),
  },
  log: {
    level: withDefault(oneOf(["debug", "info", "warn", "error", "silent"]), "info", {
      about: "debug, info, warn, error or silent.",
    }),
    format: optional(oneOf(["json", "text"]), {
      about: "json or text. Default: json, or text with serve --dev and on a terminal.",
      example: "json",
    }),
    requests: withDefault(oneOf(["none", "errors", "all"]), "errors", {
      about:
        "Which requests are logged at level info: none, errors (refused, failed, or slower than a second; at most 100 lines per second) or all. " +
        "At level debug, all are logged.",
    }),
  },
};

export type Settings = Values<typeof settingsSchema>;
