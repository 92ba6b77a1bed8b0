import { join } from "node:path";
import type { Sender, SmtpServer } from "./mail.ts";

/**
 * The complete, checked configuration. Only `loadConfig` reads the environment and `config.yaml`.
 */
export type Config = {
  /** Settings that are valid but weak or useless, in sentences for the operator. */
  warnings?: readonly string[];
  /** Development mode (`serve --dev`): loopback only. */
  dev: boolean;
  /** Absolute path of the folder with `authsvc.db` and `master.key`. */
  dataDir: string;
  /**
   * Origin without a trailing slash. `undefined` means http://localhost:{port}, once the port is
   * known; allowed only when listening on loopback.
   */
  baseUrl: string | undefined;
  listen: {
    host: string;
    port: number;
    tls: { certFile: string; keyFile: string } | undefined;
    /** `undefined`: three quarters of the process's open file limit. */
    maxConnections?: number | undefined;
    /** Threads that serve HTTP. 1 or undefined: the main thread does. */
    threads?: number | undefined;
  };
  /** Addresses or CIDRs. */
  trustedProxies: readonly string[];
  /** `url` is a postgres:// or postgresql:// URL; `undefined` means SQLite in `dataDir`. */
  database: { url: string | undefined; poolSize: number };
  /** `undefined`: `dataDir/master.key`. */
  masterKey: string | undefined;
  /**
   * The file that `masterKey` was read from, if any. A running service reads it again after a key
   * rotation.
   */
  masterKeyFile?: string | undefined;
  /** `undefined`: no mail is sent. With --dev, mail goes to the mailbox at /dev/mail. */
  mail: { server: SmtpServer; from: Sender } | undefined;
  /** How many mails visitors can trigger per application and purpose. */
  mailsPerHour: number;
  passwords: {
    memoryKiB: number;
    iterations: number;
    parallelism: number;
    concurrency: number;
    queueSize: number;
    /** The guesses that a new password must withstand, as a power of ten. */
    minGuessesLog10: number;
    /** Absolute path. `undefined`: none. */
    breachedFile?: string | undefined;
    attemptsPerMinute: number;
    /** Accounts. 0: never. */
    puzzleAfter: number;
  };
  /** Absolute path. `undefined`: none. */
  disposableDomainsFile: string | undefined;
  /** Calls per minute. */
  rateLimits: { authentication: number; userManagement: number; applicationManagement: number; webhooks: number };
  webhooks: { allowPrivateNetworks: boolean; retentionDays: number };
  clientDocuments: { allowPrivateNetworks: boolean };
  /** Asked about domains and providers of organizations. Empty: those of the system. */
  dns: { servers: readonly string[] };
  /** Issuers in private networks that organizations may use. */
  organizations: { privateIssuers: readonly string[] };
  audit: {
    retentionDays: number;
    /** Of actions that are kept for another time, and of all that begin with them and a dot. */
    retention: readonly { action: string; days: number }[];
    /** Gets the audit log by syslog over TLS. `caFile`: absolute path. */
    syslog: { host: string; port: number; caFile: string | undefined } | undefined;
  };
  /** The address that Prometheus scrapes. `undefined`: no metrics. */
  metrics: { host: string; port: number; hosts: readonly string[] } | undefined;
  /** The console for a team: its address, and its origin without a trailing slash. */
  console?: { host: string; port: number; baseUrl: string } | undefined;
  /** Where reverse proxies ask (docs/spec/protecting.md, 1). `undefined`: nowhere. */
  forwardAuth?: ForwardAuthConfig | undefined;
  /** Where `authsvc update` looks. */
  updates?: { url: string | undefined };
  log: {
    level: "debug" | "info" | "warn" | "error" | "silent";
    format: "json" | "text";
    requests: "none" | "errors" | "all";
  };
};

/** `plain`: without TLS, although another machine can reach it. */
export type ForwardAuthConfig = {
  host: string;
  port: number;
  tls: { certFile: string; keyFile: string } | undefined;
  plain: boolean;
};

/** The location of the master key, for `openKeyring`. */
export function masterKeyOf({ masterKey, masterKeyFile, dataDir }: Config) {
  return { masterKey, masterKeyFile, file: join(dataDir, "master.key") };
}

/**
 * Whether the key is in `master.key` of the data folder and no other node uses it, so authsvc may
 * replace it.
 */
export function ownsMasterKey({ masterKey, database }: Config): boolean {
  return masterKey === undefined && database.url === undefined;
}
