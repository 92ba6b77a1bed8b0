import { createServer, type AddressInfo } from "node:net";
import type { RequestListener } from "node:http";
import { openApp, type App, type Surroundings } from "./app.ts";
import type { Config } from "./config/config.ts";
import { sizeThreadPool } from "./config/thread-pool.ts";
import { openDevelopment, type Development } from "./dev/development.ts";
import { createClientAddresses } from "./http/addresses.ts";
import { createHostedPages } from "./hosted-pages.ts";
import { readCertificate } from "./http/certificate.ts";
import { createCors } from "./http/cors.ts";
import { listen, type Listener } from "./http/listener.ts";
import { nodeHandler } from "./http/node-handler.ts";
import { createRequestLog } from "./http/request-log.ts";
import { createRouter } from "./http/router.ts";
import { createTraces } from "./http/traces.ts";
import { minute, second, systemClock } from "./lib/clock.ts";
import { createLog, type Log } from "./lib/log.ts";
import { systemRandom } from "./lib/random.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { loadAssets } from "./pages/assets.ts";
import { routes } from "./routes.ts";

export type RunningServer = {
  /** Where it listens. */
  url: string;
  app: App;
  dev: Development["info"] | undefined;
  /** Where metrics can be read. */
  metricsUrl: string | undefined;
  reloadCertificate(): void;
  /** Answers what has begun, then resolves. */
  close(): Promise<void>;
};

const sweepEvery = 10 * minute;
/** Sooner than `audit list --follow` gives up waiting for a late event. */
const tallyIsWrittenEvery = 10 * second;
/** A service that is restarted more often than that sweeps, too. */
const firstSweepAfter = 10 * second;

/** Starts the service. Rejects with Node's error when the address cannot be listened on; throws INVALID_CONFIG, UNUSABLE_STORAGE. */
export async function startServer(config: Config, surroundings: Surroundings = {}): Promise<RunningServer> {
  const { clock = systemClock, random = systemRandom, log = createLog(config.log) } = surroundings;
  const { host, tls } = config.listen;
  sizeThreadPool(config.passwords.concurrency);
  // What would end the start is found before the database is touched: a new version that cannot listen must not migrate what an old one serves.
  if (tls) readCertificate(tls, clock());
  const port = await reachablePort(config.listen);
  if (config.metrics) await reachablePort(config.metrics);
  const metrics = config.metrics && (await import("./metrics/metrics.ts")).createMetrics();
  const baseUrl = config.baseUrl ?? `http://localhost:${port}`;
  const listenAddress = `${tls ? "https" : "http"}://${inUrl(host)}:${port}`;
  const traces = createTraces(random);
  const fetch = traces.fetch(surroundings.fetch ?? globalThis.fetch);
  const app = await openApp(config, { clock, random, fetch, log, meter: metrics?.meter, baseUrl });
  let ready = true;
  let listener: Listener;
  let scrapes: Listener | undefined;
  let development: Development | undefined;
  try {
    // Published before use: the key set is complete before anybody can ask for it.
    await app.services.signingKeys.forSigning("ES256");
    await app.rememberBaseUrl();
    development = config.dev ? await openDevelopment(app, { dataDir: config.dataDir, listenAddress }) : undefined;
    const handler = handlerFor(config, app, { development, isReady: () => ready, metrics });
    listener = await listen({ ...config.listen, port }, traces.listener(handler), clock);
    if (config.metrics && metrics) {
      const { scrapeListener } = await import("./metrics/scrapes.ts");
      const { hashing, storage, services } = app;
      const { certificateValidUntil } = listener;
      metrics.watch({
        storage,
        hashing,
        certificateValidUntil,
        webhooks: services.deliveries.backlog,
        mails: services.mail.backlog,
      });
      scrapes = await listen({ ...config.metrics, tls: undefined }, scrapeListener(metrics, log), clock);
    }
  } catch (error) {
    await app.close();
    throw error;
  }
  const firstSweep = setTimeout(() => void sweep(app, log), firstSweepAfter);
  const sweeping = setInterval(() => void sweep(app, log), sweepEvery);
  const writingTally = setInterval(() => void writeTally(app, log), tallyIsWrittenEvery);
  app.mailDelivery.start();
  app.webhookWorker.start();
  return {
    url: config.baseUrl === undefined ? baseUrl : listenAddress,
    app,
    dev: development?.info,
    metricsUrl: scrapes && config.metrics && `http://${inUrl(config.metrics.host)}:${scrapes.port}/metrics`,
    reloadCertificate: listener.reloadCertificate,
    async close() {
      ready = false;
      clearTimeout(firstSweep);
      clearInterval(sweeping);
      clearInterval(writingTally);
      await Promise.all([listener.close(), app.mailDelivery.stop(), app.webhookWorker.stop()]);
      await scrapes?.close();
      await app.close();
    },
  };
}

type Serving = { development: Development | undefined; isReady: () => boolean; metrics: Metrics | undefined };

function handlerFor(config: Config, app: App, { development, isReady, metrics }: Serving): RequestListener {
  const { baseUrl, limiter, log, services } = app;
  const assets = loadAssets({ demo: config.dev });
  const pages = createHostedPages(app, config, assets.links);
  const isHttps = baseUrl.startsWith("https:");
  const logRequest = createRequestLog(log, { requests: config.log.requests, clock: app.clock });
  const router = createRouter({
    routes: [...routes(app, { ...pages, assets }, isReady), ...(development?.routes(assets) ?? [])],
    addresses: createClientAddresses(config.trustedProxies),
    limiter,
    limits: config.rateLimits,
    cors: createCors({
      application: (id) => services.applications.find(id),
      appOfToken: services.tokens.claimedApp,
      origins: services.browserOrigins,
    }),
    behindTlsProxy: isHttps && config.listen.tls === undefined && config.trustedProxies.length > 0,
    strictTransportSecurity: isHttps,
    errorPage: pages.hosted.errorPage,
    onAnswered(answered) {
      logRequest(answered);
      services.audit.tally.noteCall(answered);
      metrics?.answered(answered);
    },
    log,
  });
  return nodeHandler(router, log);
}

async function sweep(app: App, log: Log): Promise<void> {
  try {
    await app.sweep();
  } catch (error) {
    log.error("sweeping failed", error);
  }
}

async function writeTally({ services }: App, log: Log): Promise<void> {
  try {
    await services.audit.tally.flush();
  } catch (error) {
    log.error("refusals could not be written to the audit log", error);
  }
}

/** A port that can be listened on, `port` itself unless it is 0: it must be known before it is listened on, because it is part of the issuer. */
async function reachablePort({ host, port }: { host: string; port: number }): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject);
    probe.listen(port, host, resolve);
  });
  const { port: found } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return found;
}

function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
