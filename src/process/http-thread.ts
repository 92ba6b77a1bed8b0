/** An HTTP thread: answers what only reads, and passes the rest to the main thread. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import { apiRoutes } from "../api/routes.ts";
import { stopping } from "../api/service.ts";
import { closeContext } from "./core.ts";
import { prefersHtml } from "../http/accept.ts";
import { createClientAddresses, type ClientAddresses } from "../http/addresses.ts";
import { listen, type Listener } from "../http/listener.ts";
import { nodeHandler, type Outgoing } from "../http/node-handler.ts";
import { bodyOf, passedAnswered, passedOf, type PassedAnswered } from "../http/passed.ts";
import { slowMilliseconds } from "../http/request-log.ts";
import { maxUploadBytes } from "../http/request.ts";
import type { Answered } from "../http/router.ts";
import { createUploadTurns, isUpload } from "../http/uploads.ts";
import { whenClosed } from "../http/when-closed.ts";
import { networkOf } from "../lib/networks.ts";
import { describeError, type Log } from "../lib/log.ts";
import { openContext } from "./open-context.ts";
import { serviceRouter } from "./service-router.ts";
import type { FromThread, ThreadData, ToThread } from "./thread-messages.ts";

/** Above this, refused calls of a flood are counted only in the metrics. */
const maxNotesWaiting = 2_000;
/** Calls of one connection that wait for the main thread. Browsers send one at a time. */
const maxPipelined = 16;
/**
 * Maximum bytes of waiting calls, including those whose client has hung up: they are executed too.
 */
const maxBytesWaiting = 64 * 2 ** 20;
/** Maximum size of a call besides its body: its headers, and as much again. */
const bytesOfCall = 16 * 2 ** 10;

const main = parentPort as MessagePort;
// Its rejection ends the thread, and the main thread reports it.
void serve(workerData as ThreadData);

function send(message: FromThread): void {
  main.postMessage(message);
}

async function serve(data: ThreadData): Promise<void> {
  const { config, baseUrl, port, maxConnections, limitMemory, watched } = data;
  const log = logOf(config.log.level === "debug");
  const metrics = config.metrics && (await import("../metrics/metrics.ts")).createMetrics({ ofProcess: false });
  const ctx = await openContext(config, {
    log,
    baseUrl,
    limitMemory,
    serves: true,
    readsOnly: true,
    meter: metrics?.meter,
  });
  const routes = apiRoutes.filter(({ reads }) => reads);
  const turns = createTurns(data.noted, createClientAddresses(config.trustedProxies));

  function isNoted({ status, milliseconds }: Answered): boolean {
    if (status >= 400 || milliseconds >= slowMilliseconds) return true;
    return config.log.requests === "all" || log.debugging || Atomics.load(watched, 0) !== 0;
  }

  const router = serviceRouter(ctx, {
    routes,
    otherwise: (message) => turns.pass(message),
    // Only for people, whose requests are passed.
    errorPage: () => {
      throw new Error("an HTTP thread shows no page");
    },
    onAnswered(answered) {
      metrics?.answered(answered);
      if (isNoted(answered)) turns.note(() => passedAnswered(answered, routes));
    },
  });
  const handler = nodeHandler((message) => (isForMain(message) ? turns.pass(message) : router(message)), log);
  const address = { ...config.listen, port, maxConnections, reusePort: true };
  const listener = await listen(address, handler, { clock: ctx.clock, log });
  const forProxies = await listenForProxies();

  async function listenForProxies(): Promise<Listener | undefined> {
    const { forwardAuthPort } = data;
    if (!config.forwardAuth || forwardAuthPort === undefined) return undefined;
    const { forwardAuthRouter } = await import("../forward-auth/router.ts");
    const asked = nodeHandler(forwardAuthRouter(ctx, { pass: turns.pass }), log);
    const at = { ...config.forwardAuth, port: forwardAuthPort, maxConnections, reusePort: true, forProxies: true };
    return await listen(at, asked, { clock: ctx.clock, log });
  }

  const on: { [Kind in ToThread["kind"]]: (message: ToThread & { kind: Kind }) => Promise<void> | void } = {
    answers: ({ answers }) => turns.settle(answers),
    async count() {
      send({ kind: "counted", counted: (await metrics?.counted()) ?? [] });
    },
    reload() {
      try {
        listener.reloadCertificate();
        forProxies?.reloadCertificate();
      } catch (error) {
        log.error("the certificate cannot be reloaded; the previous one stays in use", error);
      }
    },
    async stop() {
      stopping(ctx).now = true;
      await Promise.all([listener.stop(), forProxies?.stop()]);
      send({ kind: "stopped" });
    },
    async close() {
      turns.sayClose();
      await Promise.all([listener.close(), forProxies?.close()]);
      await closeContext(ctx);
      send({ kind: "closed" });
    },
  };
  main.on("message", (message: ToThread) => void (on[message.kind] as (message: ToThread) => unknown)(message));
  send({ kind: "listening" });
}

/** A DPoP proof is written down, people get pages, and other origins need a lookup. */
function isForMain({ method, headers: { dpop, origin, authorization, accept } }: IncomingMessage): boolean {
  if ((method !== "GET" && method !== "HEAD") || dpop !== undefined || origin !== undefined) return true;
  return authorization === undefined && prefersHtml(accept ?? "");
}

/** Passes requests to the main thread: one message for everything of a turn of the event loop. */
function createTurns(noted: Int32Array, addresses: ClientAddresses) {
  const calls = new Map<number, (outgoing: Outgoing | undefined) => void>();
  const pipelined = new WeakMap<Socket, number>();
  const newest = new WeakMap<Socket, number>();
  const inUploadTurn = createUploadTurns();
  let bytesWaiting = 0;
  let lastCall = 0;
  let notes = 0;
  let saysClose = false;
  let waiting: (FromThread & { kind: "turn" }) | undefined;

  function current(): NonNullable<typeof waiting> {
    if (waiting) return waiting;
    waiting = { kind: "turn", calls: [], gone: [], answered: [] };
    setImmediate(() => {
      if (waiting) send(waiting);
      waiting = undefined;
    });
    return waiting;
  }

  async function uploaded(message: IncomingMessage): Promise<string | undefined> {
    const caller = networkOf(addresses.of(message));
    return await inUploadTurn(message, caller, () => bodyOf(message, maxUploadBytes));
  }

  async function pass(message: IncomingMessage, ofProxy?: "body" | "no-body"): Promise<Outgoing> {
    const { socket } = message;
    const { promise, resolve, reject } = Promise.withResolvers<Outgoing>();
    const before = pipelined.get(socket) ?? 0;
    // Otherwise one connection could fill the memory of the main thread, which answers later.
    if (before >= maxPipelined) socket.destroy();
    pipelined.set(socket, before + 1);
    const body = ofProxy === "no-body" ? "" : isUpload(message) ? await uploaded(message) : await bodyOf(message);
    if (bytesWaiting > maxBytesWaiting) socket.destroy();
    // Its client is gone, and nobody waits.
    if (body === undefined || socket.destroyed) return await promise;
    const call = (lastCall += 1);
    const size = bytesOfCall + body.length;
    newest.set(socket, call);
    bytesWaiting += size;
    const forget = whenClosed(socket, () => current().gone.push(call));
    calls.set(call, (outgoing) => {
      forget();
      bytesWaiting -= size;
      // On an earlier answer it would cut off the later ones.
      if (saysClose && newest.get(socket) === call) outgoing?.lines.push("connection", "close");
      pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1);
      if (outgoing) resolve(outgoing);
      else reject(new Error("the main thread has no answer"));
    });
    const more = ofProxy === undefined ? {} : { rawHeaders: message.rawHeaders };
    current().calls.push({ ...passedOf(message, body), ...more, call });
    return await promise;
  }

  return {
    pass,

    /** Leaves a response to the main thread to record, unless too many wait there. */
    note(answered: () => PassedAnswered): void {
      if (((notes - Atomics.load(noted, 0)) | 0) >= maxNotesWaiting) return;
      notes += 1;
      current().answered.push(answered());
    },

    /** Also to earlier callers. */
    sayClose(): void {
      saysClose = true;
    },

    settle(answers: (ToThread & { kind: "answers" })["answers"]): void {
      for (const { call, outgoing } of answers) {
        calls.get(call)?.(outgoing);
        calls.delete(call);
      }
    },
  };
}

/** The main thread writes the log, so that its lines are whole and in order. */
function logOf(debugging: boolean): Log {
  return {
    debug: (message, fields) => send({ kind: "log", level: "debug", message, fields }),
    info: (message, fields) => send({ kind: "log", level: "info", message, fields }),
    warn: (message, fields) => send({ kind: "log", level: "warn", message, fields }),
    error(message, error, fields) {
      const { error: text, ...stack } = describeError(error);
      send({ kind: "error", message, error: text, fields: { ...fields, ...stack } });
    },
    debugging,
  };
}
