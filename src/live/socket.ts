import { once } from "node:events";
import { unlinkSync } from "node:fs";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { second } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { makePrivateFolder } from "../lib/private-folder.ts";
import type { Context } from "../runtime/context.ts";
import type { AnsweredRequest, LiveCounts } from "./counts.ts";
import { liveState } from "./live.ts";
import { liveSocketIn } from "./path.ts";

/** A slow reader may have this much waiting. Requests beyond it are left out. */
const maxWaitingBytes = 2 ** 20;
const maxReaders = 64;

/**
 * Listens in the data folder, for this operating-system user only. If that fails, the service runs
 * without it: one warning says why there is no live view. Returns a function that closes it.
 */
export async function openLiveSocket(ctx: Context, counts: LiveCounts): Promise<() => Promise<void>> {
  const server = createServer({ requestTimeout: 10 * second }, answerFor(ctx, counts));
  server.maxConnections = maxReaders;
  try {
    await listenPrivately(server, ctx.config.dataDir);
  } catch (error) {
    const reason = error instanceof AppError ? error.message : `${(error as NodeJS.ErrnoException).code}`;
    ctx.log.warn("no live view: authsvc top and authsvc logs show no requests", { reason });
  }
  return async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
}

async function listenPrivately(server: Server, dataDir: string): Promise<void> {
  makePrivateFolder(dataDir);
  const { path, problem } = liveSocketIn(dataDir);
  if (problem !== undefined) throw unusable(problem);
  try {
    await listen(server, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    if (await isAnswered(path)) throw unusable("another service uses the same data folder, and is shown instead");
    unlinkSync(path);
    await listen(server, path);
  }
}

/** With mode 0600 from the first moment on. */
async function listen(server: Server, path: string): Promise<void> {
  const listening = once(server, "listening");
  const before = process.umask(0o177);
  server.listen(path);
  process.umask(before);
  await listening;
}

/** Whether a process listens, or the file is a leftover. */
async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function unusable(reason: string): AppError {
  return new AppError("UNUSABLE_STORAGE", reason);
}

function answerFor(ctx: Context, counts: LiveCounts): RequestListener {
  return ({ method, url }, response) => {
    if (method !== "GET") response.writeHead(405, { allow: "GET" }).end();
    else if (url === "/requests") sendRequests(counts, response);
    else if (url === "/state")
      liveState(ctx).then(
        (state) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(state)),
        (error: unknown) => {
          ctx.log.error("the live state cannot be read", error);
          response.writeHead(500).end();
        },
      );
    else response.writeHead(404).end();
  };
}

/** One line for each request, until the reader hangs up. Those of one turn are written together. */
function sendRequests(counts: LiveCounts, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/jsonl" }).flushHeaders();
  let lines = "";
  let omitted = 0;
  const flush = (): void => {
    response.write(lines);
    lines = "";
  };
  const end = counts.follow((request: AnsweredRequest) => {
    if (response.writableLength > maxWaitingBytes) {
      omitted += 1;
      return;
    }
    if (lines === "") setImmediate(flush);
    if (omitted > 0) lines += `${JSON.stringify({ omitted })}\n`;
    omitted = 0;
    lines += `${JSON.stringify(request)}\n`;
  });
  response.on("close", end);
  response.on("error", end);
}
