/** Requests to the providers of organizations, whose addresses customers name. */
import { LRUCache } from "lru-cache";
import {
  patienceMilliseconds,
  ProviderFailure,
  readBounded,
  type Call,
  type Fetched,
  type ProviderFetch,
} from "../credentials/identities/provider-fetch.ts";
import { hour, second } from "../lib/clock.ts";
import { connectionFailure } from "../lib/connection-failures.ts";
import { hostOf, isLoopbackHost } from "../lib/loopback.ts";
import { byDns, createConnections, reasonOf } from "../records/webhooks/connections.ts";
import { targetProblem, type TargetPolicy } from "../records/webhooks/target.ts";
import { part, type Context } from "../runtime/context.ts";
import type { OrganizationProvider } from "../organizations/provider/provider.ts";

/** Whose issuer, of an organization. */
export type Place = Pick<OrganizationProvider, "organizationId" | "issuer">;

/** A failure that no visitor can cause. The reason is for the owners of the organization. */
export class ProviderDown extends ProviderFailure {}

/** Too many requests at once, which visitors can cause. */
export class ProviderBusy extends ProviderFailure {
  constructor() {
    super("too many requests to providers at once");
  }
}

const dnsPatience = 2 * second;
/** Requests at once: of an organization, of providers that are quick, of others. */
const [maxOfOrganization, maxOfQuick, maxOfOthers] = [2, 20, 4];
/** A provider is quick for an hour after it answered so soon. */
const [soon, quickFor] = [2 * second, hour];
const maxPlaces = 1000;

/** The ways to providers: to public addresses, and to those that the operator lists. */
export const pools = part(
  ({ config: { dns } }: Context) => {
    const limits = { patience: patienceMilliseconds, max: maxOfQuick + maxOfOthers };
    const resolve = byDns({ timeout: dnsPatience, tries: 1, servers: dns.servers });
    return {
      open: createConnections({ privateNetworks: false, resolve, ...limits }),
      listed: createConnections({ privateNetworks: true, ...limits }),
    };
  },
  async ({ open, listed }) => {
    await Promise.all([open.close(), listed.close()]);
  },
);

/** What may be connected to for an issuer: an address of a listed one's origin may be private. */
function policyFor({ config, isDevelopment }: Context, issuer: string, address: string): TargetPolicy {
  const { privateIssuers } = config.organizations;
  const isLocal = isDevelopment && URL.canParse(issuer) && isLoopbackHost(hostOf(issuer), "localhost and below");
  const trusted = isLocal ? [issuer] : privateIssuers.includes(issuer) ? privateIssuers : [];
  const mayBePrivate = URL.canParse(address) && trusted.some((url) => new URL(url).origin === new URL(address).origin);
  return { privateNetworks: mayBePrivate, plainHttp: mayBePrivate ? "this-machine" : "none" };
}

/** Why an address of an issuer cannot be used, as a phrase that follows "must be". */
export function addressProblem(ctx: Context, issuer: string, address: string): string | undefined {
  return targetProblem(address, policyFor(ctx, issuer, address));
}

/**
 * Requests for one issuer of one organization: to public addresses only, at most 10 s with the time
 * that they wait for others, at most 1 MiB, no redirects.
 */
export function fetchFor(ctx: Context, place: Place): ProviderFetch {
  return async (call, address, init = {}, patience = patienceMilliseconds) => {
    if (addressProblem(ctx, place.issuer, address) !== undefined) throw unreachable(call);
    const signal = AbortSignal.timeout(patience);
    const leave = await enter(ctx, place, signal);
    const began = performance.now();
    let isQuick = false;
    try {
      const fetched = await send(ctx, place, call, address, init, signal);
      isQuick = performance.now() - began <= soon;
      refuseClientProblem(fetched);
      return fetched;
    } catch (error) {
      if (error instanceof ProviderFailure) throw error;
      const reason = signal.aborted ? "no answer in time" : reasonOf(error);
      ctx.log.warn("an organization's provider could not be reached", { ...place, call, reason });
      throw signal.aborted
        ? new ProviderDown(`${call}: no answer within ${patience / second} s`)
        : unreachable(call, error);
    } finally {
      if (isQuick) quick(ctx).set(keyOf(place), ctx.clock());
      else quick(ctx).delete(keyOf(place));
      leave();
    }
  };
}

async function send(
  ctx: Context,
  { issuer }: Place,
  call: Call,
  address: string,
  { method = "GET", headers, body }: RequestInit,
  signal: AbortSignal,
): Promise<Fetched> {
  const { privateNetworks } = policyFor(ctx, issuer, address);
  const { agent, send } = await pools(ctx)[privateNetworks ? "listed" : "open"].open();
  const form = body instanceof URLSearchParams && { "content-type": "application/x-www-form-urlencoded" };
  const answer = await send(address, {
    method,
    headers: {
      "user-agent": "authsvc",
      "accept-encoding": "identity",
      ...form,
      ...(headers as Record<string, string>),
    },
    body: body instanceof URLSearchParams ? body.toString() : null,
    dispatcher: agent,
    signal,
  });
  const type = [answer.headers["content-type"] ?? ""].flat().join();
  return { call, status: answer.statusCode, text: await readBounded(answer.body, call), type };
}

/**
 * One sentence for whatever is there: another would tell about private networks. Its certificate is
 * only seen of a server that may be connected to.
 */
function unreachable(call: Call, error?: unknown): ProviderDown {
  const words = error === undefined ? undefined : certificateProblem(error);
  return new ProviderDown(`${call}: ${words ?? "no server on the internet answers there"}`);
}

function certificateProblem(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const words = connectionFailure("code" in cause ? String(cause.code) : "");
    if (words?.includes("certificate")) return words;
  }
  return undefined;
}

/** The provider does not know the client, or its secret (RFC 6749 §5.2). */
function refuseClientProblem({ call, status, text }: Fetched): void {
  if (call === "token endpoint" && status !== 200 && /"error"\s*:\s*"invalid_client"/u.test(text))
    throw new ProviderDown(`${call}: it refuses the client or its secret (invalid_client)`);
}

/** When the issuers of organizations were last quick. */
const quick = part(() => new LRUCache<string, number>({ max: maxPlaces }));

export function keyOf({ organizationId, issuer }: Place): string {
  return `${organizationId} ${issuer}`;
}

/** Waits until a request to a provider may begin. Returns what ends its turn. */
async function enter(ctx: Context, place: Place, signal: AbortSignal): Promise<() => void> {
  const { organizations, ofQuick, ofOthers } = gates(ctx);
  const { organizationId } = place;
  const own = organizations.get(organizationId) ?? createGate(maxOfOrganization);
  organizations.set(organizationId, own);
  await own.enter(signal);
  const release = (): void => {
    own.leave();
    if (own.isIdle()) organizations.delete(organizationId);
  };
  try {
    const wasQuick = Math.abs(ctx.clock() - (quick(ctx).get(keyOf(place)) ?? Number.NEGATIVE_INFINITY)) < quickFor;
    const shared = wasQuick ? ofQuick : ofOthers;
    await shared.enter(signal);
    return () => {
      shared.leave();
      release();
    };
  } catch (error) {
    release();
    throw error;
  }
}

const gates = part(() => ({
  organizations: new Map<string, ReturnType<typeof createGate>>(),
  ofQuick: createGate(maxOfQuick),
  ofOthers: createGate(maxOfOthers),
}));

/** Lets so many in at once, the others in order when one leaves. */
function createGate(max: number) {
  let inside = 0;
  const waiting = new Set<() => void>();
  return {
    /** Throws ProviderBusy when the time is over. */
    async enter(signal: AbortSignal): Promise<void> {
      if (inside < max) {
        inside += 1;
        return;
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = (): void => {
        waiting.delete(resolve);
        reject(new ProviderBusy());
      };
      waiting.add(resolve);
      signal.addEventListener("abort", late, { once: true });
      await promise;
      signal.removeEventListener("abort", late);
    },
    /** Passes the place on to who waits longest. */
    leave(): void {
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next();
      } else inside -= 1;
    },
    isIdle: () => inside === 0,
  };
}
