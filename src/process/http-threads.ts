import { setTimeout as pause } from "node:timers/promises";
import { readCertificate } from "../http/certificate.ts";
import type { Listener } from "../http/listener.ts";
import type { Router } from "../http/node-handler.ts";
import { answeredOf, messageOf, type Passed } from "../http/passed.ts";
import type { Route } from "../http/route.ts";
import type { Answered } from "../http/router.ts";
import { second } from "../lib/clock.ts";
import { programFiles } from "../lib/program-files.ts";
import type { Counted } from "../metrics/instruments.ts";
import type { Context } from "../runtime/context.ts";
import type { FromThread, ThreadData, ToThread } from "./thread-messages.ts";

/** After that, a scrape shows the last state of a busy thread. */
const maxWaitForCounts = second;
/** Before a thread that could not start is started again. */
const startsAgainAfter = second;

export type ThreadListener = Listener & { counted(): Promise<Counted[]> };

type Given = {
  port: number;
  maxConnections: number;
  watched: Int32Array;
  routes: readonly Route[];
  /** Answers the requests that a thread passes on. */
  router: Router;
  /** The port for reverse proxies, and the answers to what a thread passes on from there. */
  forwardAuth: { port: number; router: Router } | undefined;
  /** Records a response that a thread gave itself. */
  onAnswered(answered: Answered): void;
};

type Thread = {
  listening: Promise<void>;
  counted(): Promise<Counted>;
  reload(): void;
  stop(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Listens with HTTP threads and answers what they pass on. A thread that dies is replaced, and only
 * its own connections are lost (docs/decisions/0068). Rejects if a thread cannot start.
 */
export async function listenWithThreads(ctx: Context, given: Given): Promise<ThreadListener> {
  const { log, clock } = ctx;
  const { threads: count = 1, tls } = ctx.config.listen;
  const threads = new Set<Thread>();
  const ofEnded: Counted[] = [];
  let started = false;
  let certificate = tls && readCertificate(tls, clock());
  let closing = false;

  function start(): Thread {
    const thread = startThread(ctx, given, async ({ counted, error, hasListened }) => {
      threads.delete(thread);
      if (counted.length > 0) ofEnded.push(counted);
      if (closing || (!started && !hasListened)) return;
      log.error("an HTTP thread ended and is replaced; its connections were closed", error);
      if (!hasListened) await pause(startsAgainAfter);
      startAgain();
    });
    threads.add(thread);
    return thread;
  }

  function startAgain(): void {
    if (closing) return;
    try {
      start();
    } catch (error) {
      log.error("an HTTP thread cannot be started", error);
      setTimeout(startAgain, startsAgainAfter);
    }
  }

  async function stop(): Promise<void> {
    closing = true;
    await Promise.all([...threads].map((thread) => thread.stop()));
  }

  async function close(): Promise<void> {
    await stop();
    await Promise.all([...threads].map((thread) => thread.close()));
  }

  try {
    await Promise.all(Array.from({ length: count }, () => start().listening));
    started = true;
  } catch (error) {
    await close();
    throw error;
  }
  return {
    port: given.port,
    stop,
    close,
    reloadCertificate() {
      if (tls) certificate = readCertificate(tls, clock());
      for (const thread of threads) thread.reload();
    },
    certificateValidUntil: () => certificate?.validUntil,
    counted: async () => [...ofEnded, ...(await Promise.all([...threads].map((thread) => thread.counted())))],
  };
}

type End = { counted: Counted; error: unknown; hasListened: boolean };

function startThread(ctx: Context, given: Given, onEnd: (end: End) => Promise<void>): Thread {
  const { config, baseUrl, limitMemory, log } = ctx;
  const readingRoutes = given.routes.filter(({ reads }) => reads);
  const maxConnections = Math.max(1, Math.floor(given.maxConnections / (config.listen.threads ?? 1)));
  const noted = new Int32Array(new SharedArrayBuffer(4));
  const { port, watched, forwardAuth } = given;
  const forwardAuthPort = forwardAuth?.port;
  const ofThread = { port, maxConnections, limitMemory, watched, noted, forwardAuthPort };
  const data = { config, baseUrl, ...ofThread } as ThreadData;
  const worker = programFiles.thread("http-thread", data);
  const send = (message: ToThread): void => worker.postMessage(message);
  const listening = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const hangUps = new Map<number, () => void>();
  const end: End = { counted: [], error: undefined, hasListened: false };
  let onCounted = (): void => {};
  let counting: Promise<void> | undefined;
  let answers: (ToThread & { kind: "answers" })["answers"] = [];

  /** One message for all answers of this turn. */
  function put(answer: (typeof answers)[number]): void {
    hangUps.delete(answer.call);
    if (answers.push(answer) > 1) return;
    setImmediate(() => {
      send({ kind: "answers", answers });
      answers = [];
    });
  }

  function answer({ call, ...passed }: Passed & { call: number }): void {
    const { message, hangUp } = messageOf(passed);
    hangUps.set(call, hangUp);
    // The router throws for a bug, which must not end the process.
    const router = passed.rawHeaders && forwardAuth ? forwardAuth.router : given.router;
    Promise.try(router, message).then(
      (outgoing) => put({ call, outgoing }),
      (error: unknown) => {
        log.error("a response could not be made", error);
        put({ call, outgoing: undefined });
      },
    );
  }

  const on: { [Kind in FromThread["kind"]]: (message: FromThread & { kind: Kind }) => void } = {
    listening() {
      end.hasListened = true;
      listening.resolve();
    },
    turn({ calls, gone, answered }) {
      for (const call of calls) answer(call);
      for (const call of gone) hangUps.get(call)?.();
      for (const each of answered) given.onAnswered(answeredOf(each, readingRoutes));
      Atomics.add(noted, 0, answered.length);
    },
    log: ({ level, message, fields }) => log[level](message, fields),
    error: ({ message, error, fields }) => log.error(message, error, fields),
    counted(message) {
      end.counted = message.counted;
      onCounted();
    },
    stopped: () => stopped.resolve(),
    closed: () => void worker.terminate(),
  };
  worker.on("message", (message: FromThread) => (on[message.kind] as (message: FromThread) => void)(message));
  worker.on("error", (error) => (end.error = error));
  worker.on("exit", () => {
    end.error ??= new Error("it was ended");
    listening.reject(end.error);
    for (const hangUp of hangUps.values()) hangUp();
    stopped.resolve();
    ended.resolve();
    void onEnd(end);
  });
  // Awaited at the first start only.
  listening.promise.catch(() => {});

  async function count(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    onCounted = resolve;
    send({ kind: "count" });
    await Promise.race([promise, pause(maxWaitForCounts, undefined, { ref: false })]);
    counting = undefined;
  }

  return {
    listening: listening.promise,
    async counted() {
      counting ??= count();
      await counting;
      return end.counted;
    },
    reload: () => send({ kind: "reload" }),
    async stop() {
      send({ kind: "stop" });
      await stopped.promise;
    },
    async close() {
      send({ kind: "close" });
      await ended.promise;
    },
  };
}
