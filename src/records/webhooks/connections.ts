import { lookup as systemLookup, Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { callbackify } from "node:util";
import type { Agent, request } from "undici";
import { connectionFailure } from "../../lib/connection-failures.ts";
import { isPublicAddress, isPublicHost, webhooksSetting } from "./target.ts";

/** The addresses of a host name. Rejects if there are none. */
export type Resolve = (host: string) => Promise<{ address: string; family: 4 | 6 }[]>;

/** `setting`: the one that would allow the address. */
class NotPublic extends Error {
  constructor(setting: string) {
    super(`its address is not public (${setting} is off)`);
  }
}

/**
 * Connections to servers that strangers named. If only public addresses are allowed, the address is
 * checked when connecting and the checked address is used, so DNS rebinding gains nothing.
 */
export function createConnections(options: {
  privateNetworks: boolean;
  /** The setting that allows private networks, for the log. */
  setting?: string | undefined;
  resolve?: Resolve | undefined;
  patience: number;
  /** For each server. */
  max: number;
}) {
  const { privateNetworks, setting = webhooksSetting, patience, max } = options;
  const resolve = options.resolve ?? (privateNetworks ? resolveLikeTheSystem : byDns());
  let opening: Promise<{ agent: Agent; send: typeof request }> | undefined;

  async function judged(host: string, family: number | string | undefined) {
    const addresses = await resolve(host);
    // A single non-public address is enough to refuse: which one a connection uses is chance.
    if (!privateNetworks && !addresses.every(({ address }) => isPublicAddress(address))) throw new NotPublic(setting);
    const [first, ...others] = addresses.filter((entry) => !family || entry.family === family);
    if (!first) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
    return [first, ...others] as const;
  }

  const judge = callbackify(judged);
  const lookup: LookupFunction = (host, { all, family }, done) =>
    judge(host, family, (error, addresses) => {
      if (error) done(error, "", 0);
      else if (all) done(null, [...addresses]);
      else done(null, addresses[0].address, addresses[0].family);
    });

  async function open() {
    // Loaded on demand: commands that send nothing need not load it.
    const undici = await import("undici");
    const connect = undici.buildConnector({ allowH2: false, timeout: patience, lookup });
    const agent = new undici.Agent({
      connections: max,
      allowH2: false,
      headersTimeout: patience,
      bodyTimeout: patience,
      connect: (target, done) => {
        const host = target.hostname.replace(/^\[|\]$/gu, "");
        // IP addresses are connected to without a lookup, and private names need none.
        if (!privateNetworks && !isPublicHost(host)) done(new NotPublic(setting), null);
        else connect(target, done);
      },
    });
    return { agent, send: undici.request };
  }

  return {
    open: () => (opening ??= open()),

    async close(): Promise<void> {
      const opened = await opening;
      await opened?.agent.destroy();
    },
  };
}

/** Why a connection failed, in a few words, without any part of the address. */
export function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof NotPublic) return cause.message;
    const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
    const words = connectionFailure(code);
    if (words !== undefined) return words;
    if (/^[A-Z][A-Z0-9_]{2,63}$/u.test(code)) return `the connection failed (${code})`;
  }
  return "the connection failed";
}

/**
 * Queries the name servers directly: getaddrinfo would use the thread pool that hashes passwords,
 * and a dead name server could block half of it.
 */
export function byDns({
  timeout = 3000,
  tries = 2,
  servers = [],
}: { timeout?: number; tries?: number; servers?: readonly string[] } = {}): Resolve {
  return async (host) => {
    const resolver = new Resolver({ timeout, tries });
    if (servers.length > 0) resolver.setServers(servers);
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    if (four.status === "rejected" && six.status === "rejected") throw four.reason;
    return [
      ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 as const })) : []),
      ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 as const })) : []),
    ];
  };
}

/** With /etc/hosts and search domains, which private networks rely on. */
async function resolveLikeTheSystem(host: string): ReturnType<Resolve> {
  const addresses = await systemLookup(host, { all: true });
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
