/** Serves uploaded pictures. Anybody may see them: their addresses cannot be guessed. */
import { forEverybody, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { AppError } from "../lib/errors.ts";
import { findPicture } from "../pictures/store.ts";
import type { Context } from "../runtime/context.ts";

const maxAgeSeconds = 3600;
const headers = {
  // Whatever somebody has hidden in a file, it is an image and nothing else.
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
};

/** GET {base}/pictures/:random/:digest */
export function pictureHandler(base: string) {
  return async (ctx: Context, request: HttpRequest): Promise<Answer> => {
    const id = request.parameter("random");
    const found = /^[\w-]{22}$/u.test(id) ? await findPicture(ctx.storage.reader, id) : undefined;
    if (!found) throw new AppError("UNKNOWN_PATH", "There is no picture at this address.");
    const { digest, type, bytes } = found;
    if (request.parameter("digest") !== digest) {
      const location = `${base}/pictures/${id}/${digest}`;
      return { status: 302, headers: { ...headers, location, "cache-control": "no-store" }, body: "" };
    }
    return forEverybody(
      request,
      { status: 200, headers: { ...headers, "content-type": type }, body: bytes },
      maxAgeSeconds,
    );
  };
}
