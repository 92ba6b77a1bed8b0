import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { AppError } from "../lib/errors.ts";
import type { Assets } from "./assets.ts";

/** GET /assets/:file. The name of a file changes with its content, so a browser may keep it for good. */
export function assetHandler(assets: Assets) {
  return (request: HttpRequest): Answer => {
    const asset = assets.findAsset(`/assets/${request.parameter("file")}`);
    if (!asset) throw new AppError("UNKNOWN_PATH", "There is nothing at this path.");
    return {
      status: 200,
      headers: { "content-type": asset.type, "cache-control": "public, max-age=31536000, immutable" },
      body: asset.body,
    };
  };
}
