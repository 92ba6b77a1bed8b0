import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { AppError } from "../lib/errors.ts";
import type { Assets } from "./assets.ts";

/** GET /assets/:file. The name of a file changes with its content, so a browser may keep it for good. */
export function assetHandler(assets: Assets) {
  return (request: HttpRequest): Answer => {
    const asset = assets.findAsset(`/assets/${request.parameter("file")}`);
    if (!asset) throw new AppError("UNKNOWN_PATH", "There is nothing at this path.");
    const headers = { "content-type": asset.type, "cache-control": "public, max-age=31536000, immutable" };
    if (asset.gzip === undefined) return { status: 200, headers, body: asset.body };
    const readsGzip = /\bgzip\b/iu.test(request.header("accept-encoding") ?? "");
    return readsGzip
      ? { status: 200, headers: { ...headers, "content-encoding": "gzip", vary: "Accept-Encoding" }, body: asset.gzip }
      : { status: 200, headers: { ...headers, vary: "Accept-Encoding" }, body: asset.body };
  };
}
