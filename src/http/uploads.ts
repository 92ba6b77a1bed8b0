/** Bodies with a file, which are far larger than others: only these routes read them. */
import type { IncomingMessage } from "node:http";
import { part, type CoreContext } from "../runtime/context.ts";
import { maxUploadBytes, type HttpRequest } from "./request.ts";

/** On the public address. HTTP threads read these as a whole. */
export const uploadPath = "/account/picture";

const maxAtOnce = 16;
const maxOfCaller = 2;
/** After this, a body makes room for one that waits. Others may be slow: some networks are. */
const lateAfterMilliseconds = 5_000;

type Turn = { caller: string; message: IncomingMessage; isLate: boolean; start(): void };

/** Reads so many bodies at a time, few of them of one caller; the others wait unread. */
export function createUploadTurns() {
  const running = new Set<Turn>();
  const waiting = new Set<Turn>();

  function startWaiting(): void {
    for (const turn of waiting) {
      if (running.size >= maxAtOnce) break;
      if ([...running].filter(({ caller }) => caller === turn.caller).length >= maxOfCaller) continue;
      waiting.delete(turn);
      running.add(turn);
      turn.start();
    }
    for (const turn of running) if (turn.isLate && isInTheWay(turn)) turn.message.destroy();
  }

  function isInTheWay({ caller }: Turn): boolean {
    if (running.size >= maxAtOnce) return waiting.size > 0;
    for (const other of waiting) if (other.caller === caller) return true;
    return false;
  }

  return async <T>(message: IncomingMessage, caller: string, work: () => Promise<T>): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn = { caller, message, isLate: false, start: resolve };
    waiting.add(turn);
    startWaiting();
    await promise;
    const timer = setTimeout(() => {
      turn.isLate = true;
      startWaiting();
    }, lateAfterMilliseconds);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      running.delete(turn);
      startWaiting();
    }
  };
}

/** The console's own, so that nobody outside keeps operators waiting. */
const turns = part((_ctx: CoreContext) => ({ public: createUploadTurns(), console: createUploadTurns() }));

/**
 * The fields of a form with a file, which is then `request.file`. Undefined, without reading the
 * rest, if the form is not ours by its token. `caller`: the session or the user.
 */
export async function readUpload(
  ctx: CoreContext,
  request: HttpRequest,
  { at, caller }: { at: "public" | "console"; caller: string },
  isOurs: (token: string | undefined) => boolean,
): Promise<Map<string, string> | undefined> {
  return await turns(ctx)[at](request.message, caller, () => request.upload(isOurs));
}

/** How much of a body an HTTP thread reads: of an upload only with a cookie named as ours. */
export function isUpload({ method, url, headers }: IncomingMessage): boolean {
  const { cookie = "", "content-type": type = "", "content-length": length = "0" } = headers;
  const [path] = (url ?? "").split("?", 1);
  const isForm = method === "POST" && path === uploadPath && type.startsWith("multipart/form-data");
  return isForm && /(?:^|[; ])(?:__Host-)?authsvc-/u.test(cookie) && Number(length) <= maxUploadBytes;
}
