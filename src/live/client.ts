import { request, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { second } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { AnsweredRequest } from "./counts.ts";
import type { LiveState } from "./live.ts";
import { liveSocketIn } from "./path.ts";

/** Longer than the service waits for its database, also on a busy machine. */
const patience = 10 * second;
const maxStateBytes = 2 ** 20;

type Place = { dataDir: string };

/** Why nothing can be read, for a person. */
export function nothingLive({ dataDir }: Place): string {
  const { problem } = liveSocketIn(dataDir);
  return problem === undefined
    ? `No service runs with the data folder ${dataDir}. Start it with authsvc serve, or name the folder of a running one with --data or --config.`
    : `A running service cannot be shown: ${problem}.`;
}

/**
 * The state of the service that runs in this data folder; undefined if none does. Throws
 * SERVER_ERROR if it does not answer, or belongs to another user.
 */
export async function readLive(place: Place): Promise<LiveState | undefined> {
  const answer = await ask(place, "/state");
  if (!answer) return undefined;
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) {
    text += chunk;
    if (text.length > maxStateBytes) throw unreadable("its answer is too long");
  }
  if (answer.statusCode !== 200) throw unreadable(`status ${answer.statusCode}; see its log`);
  return JSON.parse(text) as LiveState;
}

/** A line of the stream; `omitted` counts the requests that this reader was too slow for. */
export type LiveRequest = AnsweredRequest | { omitted: number };

/**
 * Calls `read` with every request from now on. Resolves to a promise for the end of the service;
 * undefined if none runs. Throws as `readLive` does.
 */
export async function followRequests(
  place: Place,
  read: (line: LiveRequest) => void,
): Promise<{ ended: Promise<void>; stop(): void } | undefined> {
  const answer = await ask(place, "/requests");
  if (!answer) return undefined;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  createInterface({ input: answer })
    .on("line", (line) => {
      // The end of a process may cut the last line off.
      if (line.endsWith("}")) read(JSON.parse(line) as LiveRequest);
    })
    .on("error", () => {});
  answer.on("close", resolve);
  return { ended, stop: () => answer.destroy() };
}

async function ask({ dataDir }: Place, path: string): Promise<IncomingMessage | undefined> {
  const socket = liveSocketIn(dataDir);
  if (socket.problem !== undefined) return undefined;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage | undefined>();
  const asked = request({ socketPath: socket.path, path, timeout: patience }, (answer) => {
    asked.setTimeout(0);
    resolve(answer);
  });
  asked.on("timeout", () => asked.destroy(new Error("timed out")));
  asked.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ECONNREFUSED" || error.code === "ECONNRESET") resolve(undefined);
    else if (error.code === "EACCES") reject(unreadable("it runs as another user: run this command as that user"));
    else reject(unreadable(error.message));
  });
  asked.end();
  return await promise;
}

function unreadable(reason: string): AppError {
  return new AppError("SERVER_ERROR", `The service of this data folder cannot be read: ${reason}.`);
}
