import { lookup as systemLookup, Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import type { Agent, request } from "undici";
import type { Clock } from "../lib/clock.ts";
import { retryAfter, type AttemptOutcome } from "./delivery.ts";
import { isPublicAddress } from "./target.ts";

/** The addresses of a host name. Rejects when there are none. */
export type Resolve = (host: string) => Promise<{ address: string; family: 4 | 6 }[]>;

export type Message = { url: string; headers: Record<string, string>; body: string };

export type Sender = ReturnType<typeof createSender>;

const patienceMilliseconds = 15_000;
/** What is kept of an answer, and what is read of it at most. */
const [keptBytes, readBytes] = [1024, 64 * 1024];
/** Connections to one receiver; the worker never wants more. */
export const mostConnections = 64;

class NotPublic extends Error {}

/**
 * Hands messages to receivers: one POST, 15 s in all, no redirect followed. Where only public addresses are allowed, what a name stands for is judged
 * at the moment of connecting and the judged address is the one connected to, so a name that changes its mind (DNS rebinding) gains nothing.
 */
export function createSender(options: {
  privateNetworks: boolean;
  clock: Clock;
  resolve?: Resolve;
  patience?: number;
}) {
  const { privateNetworks, clock, patience = patienceMilliseconds } = options;
  const resolve = options.resolve ?? (privateNetworks ? resolveLikeTheSystem : resolveByDns);
  let opening: Promise<{ agent: Agent; send: typeof request }> | undefined;

  async function judged(host: string, family: number | string | undefined) {
    const found = await resolve(host);
    // One address that is not public is enough: which of several a connection ends up with is chance.
    if (!privateNetworks && !found.every(({ address }) => isPublicAddress(address))) throw new NotPublic();
    const [first, ...others] = found.filter((entry) => !family || entry.family === family);
    if (!first) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
    return [first, ...others] as const;
  }

  const judge = callbackify(judged);
  const lookup: LookupFunction = (host, { all, family }, done) =>
    judge(host, family, (error, found) => {
      if (error) done(error, "", 0);
      else if (all) done(null, [...found]);
      else done(null, found[0].address, found[0].family);
    });

  async function open() {
    // Not at the start: commands that send nothing need not load it.
    const undici = await import("undici");
    const connect = undici.buildConnector({ allowH2: false, timeout: patience, lookup });
    const agent = new undici.Agent({
      connections: mostConnections,
      allowH2: false,
      headersTimeout: patience,
      bodyTimeout: patience,
      connect: (target, done) => {
        const host = target.hostname.replace(/^\[|\]$/gu, "");
        // An address is connected to without being looked up.
        if (!privateNetworks && isIP(host) !== 0 && !isPublicAddress(host)) done(new NotPublic(), null);
        else connect(target, done);
      },
    });
    return { agent, send: undici.request };
  }

  return {
    /** Never throws, but for an abort by `signal`. */
    async send({ url, headers, body }: Message, signal?: AbortSignal): Promise<AttemptOutcome> {
      const at = clock();
      const began = performance.now();
      const timeout = AbortSignal.timeout(patience);
      const outcome = (answered: Partial<AttemptOutcome>): AttemptOutcome => ({
        at,
        durationMilliseconds: Math.round(performance.now() - began),
        status: null,
        error: null,
        response: "",
        delivered: false,
        gone: false,
        retryAfterMilliseconds: undefined,
        ...answered,
      });
      try {
        opening ??= open();
        const { agent, send } = await opening;
        const answer = await send(url, {
          method: "POST",
          headers: { "content-type": "application/json", "user-agent": "authsvc-webhooks", ...headers },
          body,
          dispatcher: agent,
          signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
        });
        const { statusCode: status } = answer;
        const response = await beginningOf(answer.body);
        const delivered = status >= 200 && status < 300;
        const header = answer.headers["retry-after"];
        return outcome({
          status,
          response,
          delivered,
          gone: status === 410,
          error: delivered
            ? null
            : status >= 300 && status < 400
              ? "a redirect, which is not followed"
              : `status ${status}`,
          retryAfterMilliseconds: delivered ? undefined : retryAfter(Array.isArray(header) ? header[0] : header, at),
        });
      } catch (error) {
        if (signal?.aborted) throw error;
        return outcome({ error: timeout.aborted ? `no answer within ${patience / 1000} s` : reasonOf(error) });
      }
    },

    /** Ends its connections. */
    async close(): Promise<void> {
      const opened = await opening;
      await opened?.agent.destroy();
    },
  };
}

/** The status has decided already: an answer that stalls, breaks off or does not end costs its text and nothing else. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      if (size < keptBytes) chunks.push(chunk.subarray(0, keptBytes - size));
      size += chunk.length;
      // Leaving the loop destroys the stream, and with it the connection.
      if (size >= readBytes) break;
    }
  } catch {
    // What came is kept.
  }
  return Buffer.concat(chunks).toString("utf8").replaceAll("\0", "\u{FFFD}");
}

const reasons: Record<string, string> = {
  ENOTFOUND: "its name cannot be resolved",
  ENODATA: "its name cannot be resolved",
  EAI_AGAIN: "its name cannot be resolved now",
  ETIMEOUT: "its name cannot be resolved now",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
};

/** In a few words, with nothing of the address in it. */
function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof NotPublic) return "its address is not public";
    const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
    if (reasons[code] !== undefined) return reasons[code];
    if (/^[A-Z][A-Z0-9_]{2,63}$/u.test(code)) return `the connection failed (${code})`;
  }
  return "the connection failed";
}

/**
 * Asks the name servers themselves: getaddrinfo would wait in the thread pool in which passwords are hashed, and a dead name server could hold
 * half of it.
 */
async function resolveByDns(host: string): ReturnType<Resolve> {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  if (four.status === "rejected" && six.status === "rejected") throw four.reason;
  return [
    ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 as const })) : []),
    ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 as const })) : []),
  ];
}

/** With /etc/hosts and search domains, as names in one's own network want it. */
async function resolveLikeTheSystem(host: string): ReturnType<Resolve> {
  const found = await systemLookup(host, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
