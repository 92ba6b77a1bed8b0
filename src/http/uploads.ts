/** Bodies with a file, which are far larger than others: only these routes read them. */
import type { IncomingMessage } from "node:http";
import { part, type CoreContext } from "../runtime/context.ts";
import { maxUploadBytes, type HttpRequest } from "./request.ts";

/** On the public address. HTTP threads read these as a whole. */
export const uploadPath = "/account/picture";

const maxAtOnce = 4;

/** Runs so many at a time; the others wait, with their bodies unread. */
export function createUploadTurns() {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < maxAtOnce) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

const turns = part((_ctx: CoreContext) => createUploadTurns());

/**
 * The fields of a form with a file, which is then `request.file`. Undefined, without reading the
 * rest, if the form is not ours by its token.
 */
export async function readUpload(
  ctx: CoreContext,
  request: HttpRequest,
  isOurs: (token: string | undefined) => boolean,
): Promise<Map<string, string> | undefined> {
  return await turns(ctx)(() => request.upload(isOurs));
}

/** How much of a body an HTTP thread reads: of an upload only with a cookie of ours. */
export function isUpload({ method, url, headers }: IncomingMessage): boolean {
  const { cookie = "", "content-type": type = "", "content-length": length = "0" } = headers;
  const [path] = (url ?? "").split("?", 1);
  const isForm = method === "POST" && path === uploadPath && type.startsWith("multipart/form-data");
  return isForm && /(?:^|[; ])(?:__Host-)?authsvc-/u.test(cookie) && Number(length) <= maxUploadBytes;
}
