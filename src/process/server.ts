import { createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { openApp, type App } from "./app.ts";
import { startBackgroundWork } from "./background-work.ts";
import type { Config } from "../config/config.ts";
import { examineFiles } from "./configured-files.ts";
import type { Surroundings } from "./core.ts";
import { hasher } from "../credentials/passwords/hasher.ts";
import * as passwords from "../credentials/passwords/service.ts";
import { sizeThreadPool } from "../credentials/passwords/thread-pool.ts";
import { DevClock } from "../dev/clock.ts";
import { openDevelopment, type Development } from "../dev/development.ts";
import * as operators from "../operators/service.ts";
import { allowedConnections } from "../http/connections.ts";
import type { InheritedSockets } from "../http/inherited-sockets.ts";
import { listen, type Listener } from "../http/listener.ts";
import type { ThreadListener } from "./http-threads.ts";
import { nodeHandler, type Router } from "../http/node-handler.ts";
import { refusedCall } from "../http/refused-calls.ts";
import { createRequestLog } from "../http/request-log.ts";
import type { Route } from "../http/route.ts";
import { stopping } from "../api/service.ts";
import type { Answered } from "../http/router.ts";
import { createTraces } from "../http/traces.ts";
import { second, systemClock } from "../lib/clock.ts";
import { createLog } from "../lib/log.ts";
import { hostOf, inUrl } from "../lib/loopback.ts";
import { silentMeter } from "../lib/meter.ts";
import { systemRandom } from "../lib/random.ts";
import { createCounts, type LiveCounts } from "../live/counts.ts";
import { showLive } from "../live/live.ts";
import { openLiveSocket } from "../live/socket.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Watched } from "../metrics/watched.ts";
import { rememberService } from "./open-context.ts";
import { assets } from "../pages/assets/assets.ts";
import * as hosted from "../pages/hosted/hosted.ts";
import { newLimitMemory } from "../rate-limits/memory-limiter.ts";
import { aggregatedEvents } from "../records/audit/aggregated-events.ts";
import { auditSender } from "../records/audit/syslog/sender.ts";
import { folding } from "../people/folding.ts";
import { searcher } from "../people/searcher.ts";
import * as mail from "../records/mail/service.ts";
import { revocations } from "../records/revocations/service.ts";
import * as deliveries from "../records/webhooks/deliveries.ts";
import { routes } from "../routes.ts";
import { serviceRouter } from "./service-router.ts";
import * as signingKeys from "../tokens/signing-keys.ts";

export type RunningServer = {
  /** The URL at which it listens. */
  url: string;
  app: App;
  dev: Development["info"] | undefined;
  /** The URL of the listener for reverse proxies. */
  forwardAuthUrl: string | undefined;
  /** The URL of the metrics. */
  metricsUrl: string | undefined;
  reloadCertificate(): void;
  /** Finishes running requests, then resolves. */
  close(): Promise<void>;
};

/** Connections of the metrics listener; far more than collectors need. */
const maxScrapes = 64;
/** A team's browsers. */
const maxConsoleConnections = 512;
/** Below the ten seconds after which a supervisor may kill the process, with time to write. */
const drainMilliseconds = 8 * second;

/**
 * `redirectUris`: added to the demo application (development mode). `inherited`: sockets to listen
 * on instead of opening them. `beforeStorage`: runs just before the database opens.
 */
export type Start = Surroundings & {
  redirectUris?: readonly string[];
  inherited?: InheritedSockets;
  beforeStorage?: () => void;
};

/**
 * Starts the service. Rejects with Node's error if it cannot listen; throws INVALID_CONFIG,
 * UNUSABLE_STORAGE.
 */
export async function startServer(config: Config, surroundings: Start = {}): Promise<RunningServer> {
  const devClock = config.dev ? new DevClock(surroundings.clock ?? systemClock) : undefined;
  const {
    clock = systemClock,
    random = systemRandom,
    log = createLog(config.log),
    redirectUris = [],
    inherited = {},
    strengthOf,
  } = { ...surroundings, ...(devClock && { clock: devClock.now }) };
  const { host, tls, threads: wanted = 1 } = config.listen;
  // Threads cannot share a socket of systemd.
  const threads = inherited.public || inherited["forward-auth"] ? 1 : wanted;
  if (threads < wanted) log.warn("HTTP is served by one thread, because the socket belongs to systemd");
  sizeThreadPool(config.passwords.concurrency);
  // Check before touching the database: a new version that cannot listen must not migrate what an
  // old one serves.
  await examineFiles(config, clock());
  const reserved = inherited.public ? undefined : await reservePort(config.listen);
  const port = reserved?.port ?? config.listen.port;
  if (config.metrics && !inherited.metrics) await (await reservePort(config.metrics)).release();
  if (config.console && !inherited.console) await (await reservePort(config.console)).release();
  const forProxies =
    config.forwardAuth && !inherited["forward-auth"] ? await reservePort(config.forwardAuth) : undefined;
  const metrics = config.metrics && (await import("../metrics/metrics.ts")).createMetrics();
  const baseUrl = config.baseUrl ?? `http://localhost:${port}`;
  const listenAddress = `${tls ? "https" : "http"}://${inUrl(host)}:${port}`;
  const traces = createTraces(random);
  const fetch = traces.fetch(surroundings.fetch ?? globalThis.fetch);
  surroundings.beforeStorage?.();
  const counts = createCounts(clock);
  const meter = counts.metered(metrics?.meter ?? silentMeter);
  const limitMemory = threads > 1 ? newLimitMemory(random) : undefined;
  const surrounding = { clock, random, fetch, log, meter, strengthOf, limitMemory };
  const app = await openApp(config, { ...surrounding, baseUrl, serves: true });
  let listener: ThreadListener | (Listener & { counted?: undefined });
  let scrapes: Listener | undefined;
  let teamConsole: Listener | undefined;
  let proxyListener: Listener | undefined;
  let closeLiveSocket: () => Promise<void>;
  const listeners: Listener[] = [];
  let development: Development | undefined;
  const learning = passwords
    .learnStoredHashes(app.ctx, () => stopping(app.ctx).now)
    .catch((error: unknown) => log.error("reading the stored password hashes failed", error));
  try {
    // Published before use: the key set must be complete before anybody requests it.
    await signingKeys.forSigning(app.ctx, "ES256");
    await rememberService(app.ctx);
    await app.watchClock();
    development = devClock
      ? await openDevelopment(app.ctx, { dataDir: config.dataDir, listenAddress, redirectUris, devClock })
      : undefined;
    const serving = { development, metrics, counts };
    const note = noterOf(app, serving);
    const router = routerOf(app, serving, note);
    const maxConnections = allowedConnections(config.listen.maxConnections, threads, log);
    await Promise.all([reserved?.release(), forProxies?.release()]);
    const forwardAuth = config.forwardAuth && {
      port: forProxies?.port ?? config.forwardAuth.port,
      router: await proxyRouter(app),
    };
    if (threads > 1) {
      const { listenWithThreads } = await import("./http-threads.ts");
      const given = { port, maxConnections, watched: counts.watched, routes, onAnswered: note, forwardAuth };
      listener = await listenWithThreads(app.ctx, { ...given, router: traces.listener(router) });
    } else {
      const publicly = { ...config.listen, port, inherited: inherited.public, maxConnections };
      listener = await listen(publicly, traces.listener(nodeHandler(router, log)), { clock, log });
    }
    listeners.push(listener);
    if (config.forwardAuth && forwardAuth && threads === 1) {
      const at = { ...config.forwardAuth, port: forwardAuth.port, inherited: inherited["forward-auth"] };
      const handler = nodeHandler(forwardAuth.router, log);
      proxyListener = await listen({ ...at, maxConnections, forProxies: true }, handler, { clock, log });
      listeners.push(proxyListener);
    }
    const watched = watchedOf(app, listener);
    showLive(app.ctx, { counts, watched });
    teamConsole = await startTeamConsole(app, inherited.console);
    if (teamConsole) listeners.push(teamConsole);
    if (config.metrics && metrics) {
      const { scrapeListener } = await import("../metrics/scrapes.ts");
      metrics.watch(watched);
      const address = {
        ...config.metrics,
        inherited: inherited.metrics,
        tls: undefined,
        maxConnections: maxScrapes,
      };
      const hosts = [config.metrics.host, ...config.metrics.hosts];
      scrapes = await listen(address, scrapeListener(metrics, hosts, log), { clock, log });
      listeners.push(scrapes);
    }
    closeLiveSocket = await openLiveSocket(app.ctx, counts);
  } catch (error) {
    stopping(app.ctx).now = true;
    await Promise.all(listeners.map((each) => each.close()));
    await learning;
    await app.close();
    throw error;
  }
  async function finishCalls(): Promise<void> {
    // All threads stop before one closes connections: clients that reconnect must not reach
    // one that is about to stop.
    await Promise.all([listener.stop(), proxyListener?.stop()]);
    revocations(app.ctx).endWaits();
    await Promise.all([listener.close(), work.stopSending()]);
    await Promise.all([scrapes?.close(), teamConsole?.close(), proxyListener?.close(), closeLiveSocket()]);
  }

  if (!app.ctx.storage.isShared) searcher(app.ctx).useThread();
  const work = startBackgroundWork(app);
  return {
    url: config.baseUrl === undefined ? baseUrl : listenAddress,
    app,
    dev: development?.info,
    forwardAuthUrl: forwardAuthUrl(config, proxyListener?.port ?? forProxies?.port),
    metricsUrl: scrapes && config.metrics && `http://${inUrl(config.metrics.host)}:${scrapes.port}/metrics`,
    reloadCertificate() {
      listener.reloadCertificate();
      teamConsole?.reloadCertificate();
      proxyListener?.reloadCertificate();
    },
    async close() {
      // First, so that a client whose connection is closed also sees that this node is not ready.
      stopping(app.ctx).now = true;
      work.stopTimers();
      // A slow client must not prevent the last write of what is counted in memory.
      const late = pause(drainMilliseconds, "late", { ref: false });
      if ((await Promise.race([finishCalls(), late])) === "late")
        log.warn("the shutdown timed out; unfinished work was aborted");
      await Promise.all([learning, folding(app.ctx).stop()]);
      await app.close();
    },
  };
}

/** Answers the doors and the pages of protected hosts; its code is loaded only if they are used. */
async function proxyRouter({ ctx }: App): Promise<Router> {
  const { forwardAuthRouter } = await import("../forward-auth/router.ts");
  const { ownPaths } = await import("../forward-auth/own-paths.ts");
  return forwardAuthRouter(ctx, { own: ownPaths });
}

function forwardAuthUrl({ forwardAuth }: Config, port: number | undefined): string | undefined {
  if (!forwardAuth) return undefined;
  return `${forwardAuth.tls ? "https" : "http"}://${inUrl(forwardAuth.host)}:${port ?? forwardAuth.port}`;
}

/** Undefined if no console is configured. Its code is loaded only then. */
async function startTeamConsole({ ctx }: App, inherited: Socket | undefined): Promise<Listener | undefined> {
  const { console: settings, listen: publicly } = ctx.config;
  if (!settings) return undefined;
  const { openTeamEntry } = await import("../console/entry/team-entry.ts");
  const { consoleListener } = await import("../console/listener.ts");
  await operators.followConfiguration(ctx);
  const { host, port, baseUrl } = settings;
  const address = { host, port, inherited, tls: publicly.tls, maxConnections: maxConsoleConnections };
  return await listen(address, consoleListener(ctx, openTeamEntry(baseUrl), [hostOf(baseUrl)]), ctx);
}

function watchedOf(
  { ctx }: App,
  { certificateValidUntil, counted }: Pick<ThreadListener, "certificateValidUntil"> & Partial<ThreadListener>,
): Watched {
  return {
    storage: ctx.storage,
    writability: ctx.writability,
    hashing: hasher(ctx).load,
    certificateValidUntil,
    webhooks: () => deliveries.backlog(ctx),
    mails: () => mail.backlog(ctx),
    auditLag: ctx.config.audit.syslog && (() => auditSender(ctx).lag()),
    feedWaits: revocations(ctx).waiting,
    threads: counted,
  };
}

type Serving = { development: Development | undefined; metrics: Metrics | undefined; counts: LiveCounts };

/** Reports a response to everything but the metrics. */
function noterOf({ ctx }: App, { counts }: Serving): (answered: Answered) => void {
  const logRequest = createRequestLog(ctx.log, { requests: ctx.config.log.requests, clock: ctx.clock });
  return (answered) => {
    logRequest(answered);
    const refused = refusedCall(answered);
    if (refused) aggregatedEvents(ctx).note(refused);
    counts.answered(answered);
  };
}

function routerOf({ ctx }: App, { development, metrics }: Serving, note: (answered: Answered) => void): Router {
  // Now, so that a program without its pages does not start.
  const pageAssets = assets(ctx);
  const own = development?.routes(pageAssets) ?? [];
  return serviceRouter(ctx, {
    routes: [...routes.filter((route) => !replaces(own, route)), ...own],
    errorPage: (error, request, isHosted) => hosted.errorPage(ctx, error, request, isHosted),
    onAnswered(answered) {
      note(answered);
      metrics?.answered(answered);
    },
  });
}

/** Development mode has its own front page. */
function replaces(own: Route[], { method, path }: Route): boolean {
  return own.some((route) => route.method === method && route.path === path);
}

/**
 * A port that can be listened on: `port`, or a free one if it is 0, which stays taken until
 * `release`. It must be known in advance, because it is part of the issuer.
 */
async function reservePort({ host, port }: { host: string; port: number }) {
  const probe = createServer().unref();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject);
    probe.listen(port, host, resolve);
  });
  const { port: found } = probe.address() as AddressInfo;
  const release = async (): Promise<void> => await new Promise((resolve) => probe.close(() => resolve()));
  // Clients of a known port are better refused than kept waiting.
  if (port !== 0) await release();
  return { port: found, release };
}
