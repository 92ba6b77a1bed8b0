import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { addressFamily, hostOf, isLoopbackHost } from "../lib/loopback.ts";
import type { Config } from "./config.ts";
import { parseSender, parseSmtpUrl } from "./mail.ts";
import { canonicalOrigin, nameServerHost, parseListen, parseRetention, parseSyslogUrl } from "./network.ts";
import { postgresUrlProblem, stricterSslMode, unencryptedHost, unknownSchemaParameter } from "./postgres-url.ts";
import type { Settings } from "./schema.ts";
import { invalidConfig } from "./settings.ts";

type Context = {
  dev: boolean;
  /** Whether logs are written to a terminal. */
  isTerminal?: boolean;
  cwd: string;
  /** A setting's name as its source spells it, or its key if no source gave it. */
  nameOf: (key: string) => string;
};

/**
 * Checks rules between settings and fills in values that depend on others. Throws INVALID_CONFIG.
 */
export function complete(settings: Settings, context: Context): { config: Config; warnings: string[] } {
  const host = settings.listen.host.replace(/^\[(.*)\]$/, "$1");
  const baseUrl = settings.baseUrl === undefined ? undefined : canonicalOrigin(settings.baseUrl);
  const tls = completeTls(settings, context);
  checkAddresses({ host, baseUrl, tls: tls !== undefined, proxies: settings.trustedProxies.length > 0 }, context);
  checkDatabase(settings, context);
  const passwords = completePasswords(settings, context);
  const config: Config = {
    dev: context.dev,
    dataDir: resolve(context.cwd, settings.data),
    baseUrl,
    listen: {
      host,
      port: settings.listen.port,
      tls,
      maxConnections: settings.listen.maxConnections,
      threads: oneThreadBecause(settings, context) === undefined ? threadsOf(settings) : 1,
    },
    trustedProxies: settings.trustedProxies,
    database: { url: settings.database.url, poolSize: settings.database.poolSize },
    masterKey: settings.masterKey,
    mail: completeMail(settings, baseUrl, context),
    mailsPerHour: settings.mail.perHour,
    passwords,
    disposableDomainsFile: settings.disposableDomainsFile,
    rateLimits: settings.rateLimits,
    webhooks: settings.webhooks,
    clientDocuments: settings.clientDocuments,
    dns: completeDns(settings, context),
    organizations: completeOrganizations(settings, context),
    audit: completeAudit(settings, context),
    metrics: completeMetrics(settings, context),
    console: completeConsole(settings, context),
    forwardAuth: completeForwardAuth(settings, context),
    updates: settings.updates,
    log: { ...settings.log, format: settings.log.format ?? (context.dev || context.isTerminal ? "text" : "json") },
  };
  return { config, warnings: [...threadWarnings(settings, context), ...warningsAbout(config, context)] };
}

/** Half of the cores by `auto`: passwords are hashed on the others, and the main thread writes. */
function threadsOf({ listen: { threads } }: Settings): number {
  if (threads !== "auto") return threads;
  const cores = availableParallelism();
  return cores < 4 ? 1 : Math.floor(cores / 2);
}

/** Why the main thread serves HTTP whatever the setting says; undefined if it need not. */
function oneThreadBecause({ database }: Settings, { dev }: Context): string | undefined {
  if (dev) return "in development mode";
  if (database.url !== undefined) return "with PostgreSQL, where several processes may serve";
  return process.platform === "linux" ? undefined : "on this platform";
}

function threadWarnings(settings: Settings, context: Context): string[] {
  const because = oneThreadBecause(settings, context);
  const { threads } = settings.listen;
  return because === undefined || typeof threads !== "number" || threads === 1
    ? []
    : [`${context.nameOf("listen.threads")} is ${threads}, but HTTP is served by one thread ${because}`];
}

function completeTls({ listen: { tls } }: Settings, { nameOf }: Context): Config["listen"]["tls"] {
  const { certFile, keyFile } = tls;
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile !== undefined) throw invalidConfig(`${nameOf("listen.tls.certFile")} also needs listen.tls.keyFile`);
  if (keyFile !== undefined) throw invalidConfig(`${nameOf("listen.tls.keyFile")} also needs listen.tls.certFile`);
  return undefined;
}

type Addresses = { host: string; baseUrl: string | undefined; tls: boolean; proxies: boolean };

function checkAddresses({ host, baseUrl, tls, proxies }: Addresses, { dev, nameOf }: Context): void {
  if (dev && !isLoopbackHost(host))
    throw invalidConfig(`${nameOf("listen.host")} must be 127.0.0.1, ::1 or localhost with --dev`);
  if (baseUrl === undefined) {
    if (!isLoopbackHost(host))
      throw invalidConfig(
        `baseUrl is missing: ${nameOf("listen.host")} is reachable from other machines, so set the public https URL`,
      );
    if (tls)
      throw invalidConfig(
        `baseUrl is missing: ${nameOf("listen.tls.certFile")} enables https, so set the public https URL`,
      );
    return;
  }
  const name = nameOf("baseUrl");
  const isHttps = baseUrl.startsWith("https://");
  const isLocal = isLoopbackHost(hostOf(baseUrl), "localhost and below");
  if (dev && !isLocal)
    throw invalidConfig(`${name} must be an address of this machine with --dev, such as http://localhost:8080`);
  if (!isHttps && tls) throw invalidConfig(`${name} must start with https:// because listen.tls is set`);
  if (isLocal) return;
  if (!isHttps) throw invalidConfig(`${name} must start with https://; only an address of this machine may be http`);
  if (!tls && !proxies) {
    throw invalidConfig(
      `${name} is https, so set listen.tls.certFile and listen.tls.keyFile, or list the proxy that terminates TLS in trustedProxies`,
    );
  }
}

function checkDatabase({ database: { url } }: Settings, { nameOf }: Context): void {
  const problem = url === undefined ? undefined : postgresUrlProblem(url);
  if (problem !== undefined) throw invalidConfig(`${nameOf("database.url")} ${problem}`);
}

function completeMetrics({ metrics, listen }: Settings, { nameOf }: Context): Config["metrics"] {
  const { host, port, hosts } = metrics;
  if (port === undefined) return undefined;
  // Checked even when the hosts differ: a proxy may put both behind one address later.
  if (port === listen.port && port !== 0)
    throw invalidConfig(`${nameOf("metrics.port")} must differ from listen.port, which is public`);
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port, hosts };
}

function completeAudit({ audit }: Settings, { nameOf }: Context): Config["audit"] {
  const { url, caFile } = audit.syslog;
  const retention = audit.retention.flatMap((entry) => parseRetention(entry) ?? []);
  const actions = retention.map(({ action }) => action);
  const twice = actions.find((action, place) => actions.indexOf(action) !== place);
  if (twice !== undefined) throw invalidConfig(`${nameOf("audit.retention")} names ${twice} twice`);
  const server = url === undefined ? undefined : parseSyslogUrl(url);
  if (caFile !== undefined && !server)
    throw invalidConfig(`${nameOf("audit.syslog.caFile")} also needs audit.syslog.url`);
  return { retentionDays: audit.retentionDays, retention, syslog: server && { ...server, caFile } };
}

function completeConsole(settings: Settings, { nameOf }: Context): Config["console"] {
  const { listen, baseUrl } = settings.console;
  const address = listen === undefined ? undefined : parseListen(listen);
  const origin = baseUrl === undefined ? undefined : canonicalOrigin(baseUrl);
  if (!address && origin === undefined) return undefined;
  if (!address) throw invalidConfig(`${nameOf("console.baseUrl")} also needs console.listen, the address`);
  if (origin === undefined)
    throw invalidConfig(`${nameOf("console.listen")} also needs console.baseUrl, where operators reach it`);
  if (address.port === settings.listen.port && address.port !== 0)
    throw invalidConfig(`${nameOf("console.listen")} must have another port than listen.port, which is public`);
  if (!origin.startsWith("https://") && !isLoopbackHost(hostOf(origin), "localhost and below"))
    throw invalidConfig(
      `${nameOf("console.baseUrl")} must start with https://; only an address of this machine may be http`,
    );
  if (settings.baseUrl !== undefined && canonicalOrigin(settings.baseUrl) === origin)
    throw invalidConfig(`${nameOf("console.baseUrl")} must differ from baseUrl, which is public`);
  return { ...address, baseUrl: origin };
}

function completeForwardAuth(settings: Settings, { nameOf }: Context): Config["forwardAuth"] {
  const { listen, tls: files, plain } = settings.forwardAuth;
  const { certFile, keyFile } = files;
  const address = listen === undefined ? undefined : parseListen(listen);
  if (!address) {
    const [without] = Object.entries({ "tls.certFile": certFile, "tls.keyFile": keyFile, plain: plain || undefined })
      .filter(([, value]) => value !== undefined)
      .map(([name]) => name);
    if (without === undefined) return undefined;
    throw invalidConfig(`${nameOf(`forwardAuth.${without}`)} also needs forwardAuth.listen, the address`);
  }
  for (const [name, port] of [
    ["listen.port", settings.listen.port],
    ["metrics.port", settings.metrics.port],
    ["console.listen", parseListen(settings.console.listen ?? "")?.port],
  ] as const)
    if (address.port === port && port !== 0)
      throw invalidConfig(`${nameOf("forwardAuth.listen")} must have another port than ${name}`);
  if ((certFile === undefined) !== (keyFile === undefined))
    throw invalidConfig(
      certFile === undefined
        ? `${nameOf("forwardAuth.tls.keyFile")} also needs forwardAuth.tls.certFile`
        : `${nameOf("forwardAuth.tls.certFile")} also needs forwardAuth.tls.keyFile`,
    );
  const tls = certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
  if (!tls && !plain && !isLoopbackHost(address.host))
    throw invalidConfig(
      `${nameOf("forwardAuth.listen")} is reachable from other machines, so set forwardAuth.tls.certFile and forwardAuth.tls.keyFile, or forwardAuth.plain: true`,
    );
  if (settings.trustedProxies.length === 0)
    throw invalidConfig(
      `${nameOf("forwardAuth.listen")} also needs trustedProxies, the addresses of the proxies that may ask`,
    );
  return { ...address, tls, plain };
}

function completeMail(
  { mail: { smtpUrl, from, ehloName } }: Settings,
  baseUrl: string | undefined,
  { nameOf }: Context,
): Config["mail"] {
  const server = smtpUrl === undefined ? undefined : parseSmtpUrl(smtpUrl);
  const sender = from === undefined ? undefined : parseSender(from);
  // Relays refuse names without a dot, such as those of containers.
  const name = ehloName ?? (baseUrl === undefined ? undefined : hostOf(baseUrl));
  const asLiteral = name?.includes(":") === true ? `[IPv6:${name}]` : `[${name}]`;
  const shown = name === undefined || addressFamily(name) === 0 ? name : asLiteral;
  if (server && sender) return { server: { ...server, ehloName: shown }, from: sender };
  if (server) throw invalidConfig(`${nameOf("mail.smtpUrl")} also needs mail.from, the sender address`);
  if (sender) throw invalidConfig(`${nameOf("mail.from")} also needs mail.smtpUrl, the mail server`);
  return undefined;
}

/** Any program on this machine could otherwise answer, and prove any domain. */
function completeDns({ dns }: Settings, { dev, nameOf }: Context): Config["dns"] {
  const local = dev ? undefined : dns.servers.find((server) => isOfThisMachine(nameServerHost(server) ?? server));
  if (local === undefined) return dns;
  throw invalidConfig(`${nameOf("dns.servers")} must not name this machine (${local}), except with --dev`);
}

/** Any program on this machine could otherwise be an organization's provider. */
function completeOrganizations({ organizations }: Settings, { dev, nameOf }: Context): Config["organizations"] {
  const local = dev
    ? undefined
    : organizations.privateIssuers.find((issuer) =>
        isOfThisMachine(hostOf(issuer).replace(/^.*\.(?=localhost$)/u, "")),
      );
  if (local === undefined) return organizations;
  throw invalidConfig(
    `${nameOf("organizations.privateIssuers")} must not name this machine (${local}), except with --dev`,
  );
}

function completePasswords({ passwords }: Settings, { nameOf }: Context): Config["passwords"] {
  // RFC 9106 section 3.1: at least 8 KiB for each lane.
  if (passwords.memoryKiB < 8 * passwords.parallelism) {
    throw invalidConfig(`${nameOf("passwords.memoryKiB")} must be at least 8 times passwords.parallelism`);
  }
  // Each hash needs its own memory. Servers with many processors set this explicitly.
  const concurrency = passwords.concurrency ?? Math.min(4, availableParallelism());
  return { ...passwords, concurrency, queueSize: passwords.queueSize ?? 64 * concurrency };
}

/**
 * Memory in KiB for 1, 2, … passes:
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id
 */
const owaspMemoryKiB = [47_104, 19_456, 12_288, 9_216, 7_168];

function warningsAbout(
  { baseUrl, listen, trustedProxies, passwords, database, metrics }: Config,
  { nameOf }: Context,
): string[] {
  const warnings: string[] = [];
  const enough = owaspMemoryKiB[Math.min(passwords.iterations, owaspMemoryKiB.length) - 1] ?? 0;
  if (passwords.memoryKiB < enough) {
    warnings.push(
      `${nameOf("passwords.memoryKiB")} is below the ${enough} that OWASP recommends with passwords.iterations ${passwords.iterations}: stolen password hashes would be cheap to crack`,
    );
  }
  const unencrypted = database.url === undefined ? undefined : unencryptedHost(database.url);
  if (unencrypted !== undefined) {
    warnings.push(
      `${nameOf("database.url")} has sslmode=disable: traffic to ${unencrypted} is not encrypted, and anybody on the network can read and change it`,
    );
  }
  const stricter = database.url === undefined ? undefined : stricterSslMode(database.url);
  if (stricter !== undefined)
    warnings.push(
      `${nameOf("database.url")} has sslmode=${stricter}, which is taken as verify-full: the server's certificate is verified. Write sslmode=verify-full`,
    );
  const parameter = database.url === undefined ? undefined : unknownSchemaParameter(database.url);
  if (parameter !== undefined)
    warnings.push(`${nameOf("database.url")} has ${parameter}=, which has no effect: name the schema by search_path=`);
  if (metrics && isEveryAddress(metrics.host)) {
    warnings.push(
      `${nameOf("metrics.host")} is ${metrics.host}: anybody who can reach this machine can read the metrics; bind one address, or allow only Prometheus in a firewall`,
    );
  }
  if (baseUrl !== undefined && addressFamily(hostOf(baseUrl)) !== 0) {
    warnings.push(
      `${nameOf("baseUrl")} is an IP address: passkeys work only under a host name (on this machine: localhost)`,
    );
  }
  const basePort = baseUrl === undefined ? undefined : portOf(baseUrl);
  if (basePort !== undefined && listen.port !== 0 && basePort !== listen.port && trustedProxies.length === 0) {
    warnings.push(
      `${nameOf("baseUrl")} says port ${basePort} and ${nameOf("listen.port")} is ${listen.port}: clients cannot reach the service unless the port is forwarded`,
    );
  }
  if (trustedProxies.some((entry) => entry.endsWith("/0"))) {
    warnings.push(`${nameOf("trustedProxies")} contains every address: any client can then forge its IP address`);
  }
  return warnings;
}

/** Connections to `0.0.0.0` and `::` reach this machine, too. */
function isOfThisMachine(host: string): boolean {
  return isLoopbackHost(host) || isEveryAddress(host);
}

/** `0.0.0.0` and `::`, in any notation. */
function isEveryAddress(host: string): boolean {
  return addressFamily(host) !== 0 && /^[0.:]+$/u.test(host);
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}
