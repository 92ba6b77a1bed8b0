import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { addressFamily, hostOf, isLoopbackHost } from "../lib/loopback.ts";
import type { Config } from "./config.ts";
import { parseSender, parseSmtpUrl } from "./mail.ts";
import { canonicalOrigin } from "./network.ts";
import type { Settings } from "./schema.ts";
import { invalidConfig } from "./settings.ts";

type Context = {
  dev: boolean;
  cwd: string;
  /** The name of a setting as its source spells it; the key where no source gave it. */
  nameOf: (key: string) => string;
};

/** Checks what two settings must be together, and fills in what depends on others. Throws INVALID_CONFIG. */
export function complete(settings: Settings, context: Context): { config: Config; warnings: string[] } {
  const host = settings.listen.host.replace(/^\[(.*)\]$/, "$1");
  const baseUrl = settings.baseUrl === undefined ? undefined : canonicalOrigin(settings.baseUrl);
  const tls = completeTls(settings, context);
  checkAddresses({ host, baseUrl, tls: tls !== undefined, proxies: settings.trustedProxies.length > 0 }, context);
  const passwords = completePasswords(settings, context);
  const config: Config = {
    dev: context.dev,
    dataDir: resolve(context.cwd, settings.data),
    baseUrl,
    listen: { host, port: settings.listen.port, tls },
    trustedProxies: settings.trustedProxies,
    database: { url: settings.database.url, poolSize: settings.database.poolSize },
    masterKey: settings.masterKey,
    mail: completeMail(settings, context),
    passwords,
    rateLimits: settings.rateLimits,
    webhooks: settings.webhooks,
    metrics: completeMetrics(settings, context),
    log: { ...settings.log, format: settings.log.format ?? (context.dev ? "text" : "json") },
  };
  return { config, warnings: warningsAbout(config, context) };
}

function completeTls({ listen: { tls } }: Settings, { nameOf }: Context): Config["listen"]["tls"] {
  const { certFile, keyFile } = tls;
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile !== undefined)
    throw invalidConfig(`${nameOf("listen.tls.certFile")} needs listen.tls.keyFile beside it`);
  if (keyFile !== undefined) throw invalidConfig(`${nameOf("listen.tls.keyFile")} needs listen.tls.certFile beside it`);
  return undefined;
}

type Addresses = { host: string; baseUrl: string | undefined; tls: boolean; proxies: boolean };

function checkAddresses({ host, baseUrl, tls, proxies }: Addresses, { dev, nameOf }: Context): void {
  if (dev && !isLoopbackHost(host))
    throw invalidConfig(`${nameOf("listen.host")} must be 127.0.0.1, ::1 or localhost with --dev`);
  if (baseUrl === undefined) {
    if (!isLoopbackHost(host))
      throw invalidConfig(
        `baseUrl is missing: ${nameOf("listen.host")} can be reached from other machines, so say under which https address`,
      );
    if (tls)
      throw invalidConfig(
        `baseUrl is missing: ${nameOf("listen.tls.certFile")} makes the service speak https, so say under which address`,
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
      `${name} is https, so set listen.tls.certFile and listen.tls.keyFile, or name the proxy that ends https in trustedProxies`,
    );
  }
}

function completeMetrics({ metrics, listen }: Settings, { nameOf }: Context): Config["metrics"] {
  const { host, port } = metrics;
  if (port === undefined) return undefined;
  // Whatever the addresses: what is one port today is behind one proxy tomorrow.
  if (port === listen.port && port !== 0)
    throw invalidConfig(`${nameOf("metrics.port")} must be another port than listen.port, which everybody can reach`);
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port };
}

function completeMail({ mail: { smtpUrl, from } }: Settings, { nameOf }: Context): Config["mail"] {
  const server = smtpUrl === undefined ? undefined : parseSmtpUrl(smtpUrl);
  const sender = from === undefined ? undefined : parseSender(from);
  if (server && sender) return { server, from: sender };
  if (server)
    throw invalidConfig(`${nameOf("mail.smtpUrl")} needs mail.from beside it: the address that mail comes from`);
  if (sender) throw invalidConfig(`${nameOf("mail.from")} needs mail.smtpUrl beside it: the server that sends it`);
  return undefined;
}

function completePasswords({ passwords }: Settings, { nameOf }: Context): Config["passwords"] {
  // RFC 9106 section 3.1: at least 8 KiB for each lane.
  if (passwords.memoryKiB < 8 * passwords.parallelism) {
    throw invalidConfig(`${nameOf("passwords.memoryKiB")} must be at least 8 times passwords.parallelism`);
  }
  // Each takes its memory: who has many processors for sign-ins says so.
  const concurrency = passwords.concurrency ?? Math.min(4, availableParallelism());
  return { ...passwords, concurrency, queueSize: passwords.queueSize ?? 64 * concurrency };
}

/** Memory in KiB for 1, 2, … passes: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id */
const owaspMemoryKiB = [47_104, 19_456, 12_288, 9_216, 7_168];

function warningsAbout({ baseUrl, trustedProxies, passwords }: Config, { nameOf }: Context): string[] {
  const warnings: string[] = [];
  const enough = owaspMemoryKiB[Math.min(passwords.iterations, owaspMemoryKiB.length) - 1] ?? 0;
  if (passwords.memoryKiB < enough) {
    warnings.push(
      `${nameOf("passwords.memoryKiB")} is below the ${enough} that OWASP asks for with passwords.iterations ${passwords.iterations}: stolen password hashes would be cheap to guess`,
    );
  }
  if (baseUrl !== undefined && addressFamily(hostOf(baseUrl)) !== 0) {
    warnings.push(
      `${nameOf("baseUrl")} is an IP address: passkeys work only under a host name (on this machine: localhost)`,
    );
  }
  if (trustedProxies.some((entry) => entry.endsWith("/0"))) {
    warnings.push(
      `${nameOf("trustedProxies")} holds every address: any client can then choose the address it is counted under`,
    );
  }
  return warnings;
}
