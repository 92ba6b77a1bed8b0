import { createServer, type AddressInfo } from "node:net";
import { openApp, type App, type Surroundings } from "./app.ts";
import type { Config } from "./config/config.ts";
import { openDevelopment, type Development } from "./dev/development.ts";
import { createClientAddresses } from "./http/addresses.ts";
import { createHostedPages } from "./hosted-pages.ts";
import { createCors } from "./http/cors.ts";
import { listen, type Listener } from "./http/listener.ts";
import { nodeHandler } from "./http/node-handler.ts";
import { createRouter } from "./http/router.ts";
import { minute, second } from "./lib/clock.ts";
import { createLog, type Log } from "./lib/log.ts";
import { loadAssets } from "./pages/assets.ts";
import { routes } from "./routes.ts";

export type RunningServer = {
  /** Where it listens. */
  url: string;
  app: App;
  dev: Development["info"] | undefined;
  reloadCertificate(): void;
  /** Answers what has begun, then resolves. */
  close(): Promise<void>;
};

const sweepEvery = 10 * minute;
/** A service that is restarted more often than that sweeps, too. */
const firstSweepAfter = 10 * second;

/** Starts the service. Rejects with Node's error when the address cannot be listened on; throws INVALID_CONFIG, UNUSABLE_STORAGE. */
export async function startServer(config: Config, surroundings: Surroundings = {}): Promise<RunningServer> {
  const log = surroundings.log ?? createLog(config.log);
  const port = config.listen.port === 0 ? await findFreePort(config.listen.host) : config.listen.port;
  const baseUrl = config.baseUrl ?? `http://localhost:${port}`;
  const { host, tls } = config.listen;
  const listenAddress = `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const app = await openApp(config, { ...surroundings, log, baseUrl });
  let ready = true;
  let listener: Listener;
  let development: Development | undefined;
  try {
    // Published before use: the key set is complete before anybody can ask for it.
    await app.services.signingKeys.forSigning("ES256");
    await app.rememberBaseUrl();
    development = config.dev ? await openDevelopment(app, { dataDir: config.dataDir, listenAddress }) : undefined;
    listener = await listen(
      { ...config.listen, port },
      handlerFor(config, app, development, () => ready),
    );
  } catch (error) {
    await app.close();
    throw error;
  }
  const firstSweep = setTimeout(() => void sweep(app, log), firstSweepAfter);
  const sweeping = setInterval(() => void sweep(app, log), sweepEvery);
  app.mailDelivery.start();
  app.webhookWorker.start();
  return {
    url: config.baseUrl === undefined ? baseUrl : listenAddress,
    app,
    dev: development?.info,
    reloadCertificate: listener.reloadCertificate,
    async close() {
      ready = false;
      clearTimeout(firstSweep);
      clearInterval(sweeping);
      await Promise.all([listener.close(), app.mailDelivery.stop(), app.webhookWorker.stop()]);
      await app.close();
    },
  };
}

function handlerFor(config: Config, app: App, development: Development | undefined, isReady: () => boolean) {
  const { baseUrl, limiter, log, services } = app;
  const assets = loadAssets({ demo: config.dev });
  const pages = createHostedPages(app, config, assets.links);
  const isHttps = baseUrl.startsWith("https:");
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
    onAnswered({ request, route, status }) {
      if (log.debugging)
        log.debug("answered", { requestId: request.id, method: request.method, route: route?.path, status });
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

/** The port must be known before it is listened on, because it is part of the issuer. */
async function findFreePort(host: string): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject);
    probe.listen(0, host, resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return port;
}
