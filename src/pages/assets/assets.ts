import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Answer } from "../../http/answer.ts";
import { programFiles, type ProgramFiles } from "../../lib/program-files.ts";
import { part, type Context } from "../../runtime/context.ts";
import { accentStylesheet, parseColour } from "../../look/colours.ts";

export type Asset = { body: string; type: string };

/**
 * URLs of the files that pages link to. All can be cached for a year: the name depends on the
 * content.
 */
export type AssetLinks = {
  stylesheet: string;
  icon: string;
  hostedScript: string;
  uploadScript: string;
  puzzleScript: string;
  /** Only when loaded with `demo: true`. */
  demoScript: string | undefined;
  developerScript: string | undefined;
  standInStylesheet?: string | undefined;
  /** In addition to the first one, on pages with a logo. */
  logoStylesheet: string;
  /** In addition, on pages with the profile fields of an application. */
  fieldsStylesheet: string;
  /** In place of the first one, on the account pages. */
  accountStylesheet: string;
  /** In place of the first one, where organizations are managed. */
  organizationStylesheet: string;
  /** In place of the first one, where a second factor is set up, and for devices. */
  stepsStylesheet: string;
  /** In place of the first one, on the API reference. */
  docsStylesheet: string;
  docsScript: string;
  /** The stylesheet for an app's colour; undefined unless it is `#rrggbb` or `#rgb`. */
  accent: (primaryColor: string | null) => string | undefined;
};

export type Assets = {
  links: AssetLinks;
  /**
   * The file for a path such as `/assets/pages.<digest>.css` (no query); undefined if there is
   * none.
   */
  findAsset: (path: string) => Asset | undefined;
};

/** The files that pages link to. Read before the service accepts requests. */
export const assets = part((ctx: Context) => loadAssets({ demo: ctx.config.dev }));

/**
 * Reads the files that pages link to, once at start. Throws if the browser code has not been built.
 */
export function loadAssets({
  demo = false,
  program = programFiles,
}: { demo?: boolean; program?: ProgramFiles } = {}): Assets {
  const { add, find } = assetFiles("/assets");
  const join = (...names: string[]) => names.map((each) => readCss(program, `${each}.css`)).join("");
  /** One file a page. */
  const addStyles = (name: string, ...more: string[]) => add(name, "css", cssType, join("styles", ...more));

  const links: AssetLinks = {
    stylesheet: addStyles("pages", "check", "sign-in"),
    accountStylesheet: addStyles("account", "small-buttons", "lists", "account"),
    organizationStylesheet: addStyles("organization", "small-buttons", "lists", "organization"),
    fieldsStylesheet: add("fields", "css", cssType, join("check", "fields")),
    logoStylesheet: add("logo", "css", cssType, readCss(program, "logo.css")),
    icon: add("icon", "svg", "image/svg+xml", program.read("src/pages/assets/icon.svg").toString("utf8")),
    hostedScript: add("hosted", "js", scriptType, readScript(program, "hosted.js")),
    uploadScript: add("upload", "js", scriptType, readScript(program, "upload.js")),
    puzzleScript: add("puzzle", "js", scriptType, readScript(program, "puzzle.js")),
    demoScript: demo ? add("demo", "js", scriptType, readScript(program, "demo.js")) : undefined,
    developerScript: demo ? add("developer", "js", scriptType, readScript(program, "developer.js")) : undefined,
    standInStylesheet: demo ? add("stand-in", "css", cssType, readCss(program, "stand-in.css")) : undefined,
    stepsStylesheet: addStyles("steps", "small-buttons", "steps"),
    docsStylesheet: addStyles("docs", "docs"),
    docsScript: add("docs", "js", scriptType, readScript(program, "docs.js")),
    accent: accentLinks(),
  };
  return { links, findAsset: (path) => find(path) ?? findAccent(path) };
}

/** Files whose names contain a digest of their content. `add` returns the path. */
export function assetFiles(folder: string) {
  const files = new Map<string, Asset>();
  return {
    add(name: string, extension: string, type: string, body: string): string {
      const path = `${folder}/${name}.${digest(body)}.${extension}`;
      files.set(path, { body, type });
      return path;
    },
    find: (path: string) => files.get(path),
  };
}

export const cssType = "text/css; charset=utf-8";
export const scriptType = "text/javascript; charset=utf-8";

/** Browsers may cache it forever: a file's name changes with its content. */
export function assetAnswer({ body, type }: Asset): Answer {
  const headers = { "content-type": type, "cache-control": "public, max-age=31536000, immutable" };
  return { status: 200, headers, body };
}

/**
 * The path determines the content, so nothing is stored. The digest in the query changes with the
 * algorithm.
 */
function accentLink(colour: string): string {
  return `/assets/accent.${colour.slice(1)}.css?v=${digest(accentStylesheet(colour))}`;
}

/**
 * Cached: every page needs its app's colour, and computing it takes a third as long as the page.
 */
function accentLinks(): AssetLinks["accent"] {
  const cache = new LRUCache<string, string>({ max: 1000 });
  return (primaryColor) => {
    const colour = parseColour(primaryColor);
    if (colour === undefined) return undefined;
    const link = cache.get(colour) ?? accentLink(colour);
    cache.set(colour, link);
    return link;
  };
}

function findAccent(path: string): Asset | undefined {
  const digits = /^\/assets\/accent\.([0-9a-f]{6})\.css$/.exec(path)?.[1];
  return digits === undefined ? undefined : { body: accentStylesheet(`#${digits}`), type: cssType };
}

/** Removes comments and indentation. Strings in the stylesheet contain neither. */
export function compactCss(source: string): string {
  return source
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,>~]) ?/g, "$1")
    .replace(/: /g, ":")
    .replace(/(?<![\d.])0\.(?=\d)/g, ".")
    .replaceAll(";}", "}")
    .trim();
}

export function readCss(program: ProgramFiles, name: string): string {
  return compactCss(program.read(`src/pages/assets/${name}`).toString("utf8"));
}

function digest(body: string): string {
  return createHash("sha256").update(body).digest("base64url").slice(0, 16);
}

export function readScript(program: ProgramFiles, name: string): string {
  const path = `src/pages/built/${name}`;
  try {
    return program.read(path).toString("utf8");
  } catch (cause) {
    throw new Error(`The browser code ${path} is missing. Make it with: npm run build:pages`, { cause });
  }
}
