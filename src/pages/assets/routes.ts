import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { AppError } from "../../lib/errors.ts";
import type { Context } from "../../runtime/context.ts";
import { assetAnswer, assets } from "./assets.ts";

/**
 * GET /favicon.ico, for pages without their own icon. Cached for a day only, because the URL never
 * changes.
 */
export function iconHandler(ctx: Context): Answer {
  const { findAsset, links } = assets(ctx);
  const icon = findAsset(links.icon);
  const headers = { "content-type": icon?.type ?? "", "cache-control": "public, max-age=86400" };
  return { status: 200, headers, body: icon?.body ?? "" };
}

/** GET /robots.txt: nothing may be indexed, especially no links from mails. */
export function robotsHandler(): Answer {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "public, max-age=86400" };
  return { status: 200, headers, body: "User-agent: *\nDisallow: /\n" };
}

/** GET /assets/:file */
export function assetHandler(ctx: Context, request: HttpRequest): Answer {
  const asset = assets(ctx).findAsset(`/assets/${request.parameter("file")}`);
  if (!asset) throw new AppError("UNKNOWN_PATH", "This path does not exist.");
  return assetAnswer(asset);
}
