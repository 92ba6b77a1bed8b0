/** The pages of a protected host: the paths below `/.authsvc/`, by method and path. */
import type { Answer } from "../http/answer.ts";
import { ownFolder } from "../applications/clients/host-addresses.ts";
import { AppError } from "../lib/errors.ts";
import { assetAnswer, assets } from "../pages/assets/assets.ts";
import type { Context } from "../runtime/context.ts";
import { refused } from "./door-answers.ts";
import { assetFolder, type OwnCall, type OwnHandler } from "./own-call.ts";
import { signOut, signOutForm } from "./session-pages.ts";
import { callback, start } from "./start-pages.ts";

/** `GET /.authsvc/start`; HEAD is answered as GET. One that ends with a slash has all below it. */
export const ownPaths: ReadonlyMap<string, OwnHandler> = new Map<string, OwnHandler>([
  ["GET /.authsvc/start", start],
  ["GET /.authsvc/callback", callback],
  ["GET /.authsvc/refused", refused],
  ["GET /.authsvc/sign-out", signOutForm],
  ["POST /.authsvc/sign-out", signOut],
  [`GET ${assetFolder}`, asset],
]);

function asset(ctx: Context, { request }: OwnCall): Answer {
  const [path = ""] = request.path.slice(ownFolder.length).split("?", 1);
  const found = assets(ctx).findAsset(path);
  if (!found) throw new AppError("UNKNOWN_PATH", "This path does not exist.");
  return assetAnswer(found);
}
