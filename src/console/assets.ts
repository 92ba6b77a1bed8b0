import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { AppError } from "../lib/errors.ts";
import { programFiles } from "../lib/program-files.ts";
import { assetAnswer, assetFiles, cssType, readCss, readScript, scriptType } from "../pages/assets/assets.ts";
import { part, type Context } from "../runtime/context.ts";

/** The console's stylesheet and script, which the public address does not have. */
export const consoleAssets = part((_ctx: Context) => {
  const files = assetFiles("/console/assets");
  const icon = programFiles.read("src/pages/assets/icon.svg").toString("utf8");
  const links = {
    icon: files.add("icon", "svg", "image/svg+xml", icon),
    stylesheet: files.add("console", "css", cssType, readCss(programFiles, "console.css")),
    script: files.add("console", "js", scriptType, readScript(programFiles, "console.js")),
    uploadScript: files.add("upload", "js", scriptType, readScript(programFiles, "upload.js")),
  };
  return { links, find: files.find };
});

/** GET /console/assets/:file */
export function consoleAssetHandler(ctx: Context, request: HttpRequest): Answer {
  const asset = consoleAssets(ctx).find(`/console/assets/${request.parameter("file")}`);
  if (!asset) throw new AppError("UNKNOWN_PATH", "This path does not exist.");
  return assetAnswer(asset);
}
