import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { gunzipSync } from "node:zlib";
import { programFiles, type ProgramFiles } from "../lib/program-files.ts";
import { accentStylesheet, parseColour } from "./colours.ts";

/** `gzip`: the same, compressed. Both are made once: whoever asks for what costs most gets what is there already. */
export type Asset = { body: Uint8Array | string; type: string; gzip?: Uint8Array };

/** Addresses of the files that a page links to. All are safe to cache for a year: the content decides the name. */
export type AssetLinks = {
  stylesheet: string;
  icon: string;
  hostedScript: string;
  /** Only when loaded with `demo: true`. */
  demoScript: string | undefined;
  demoStylesheet?: string | undefined;
  standInStylesheet?: string | undefined;
  /** Beside the first one, on the account page. */
  accountStylesheet: string;
  /** Of the page that describes the calls. Read with the first visit: most services have none. */
  apiDocs: () => { stylesheet: string; swaggerScript: string; script: string };
  /** The stylesheet for an app's colour; undefined when there is none or it is not `#rrggbb` or `#rgb`. */
  accent: (primaryColor: string | null) => string | undefined;
};

export type Assets = {
  links: AssetLinks;
  /** The file behind a path such as `/assets/pages.<digest>.css` (no query); undefined when there is none. */
  findAsset: (path: string) => Asset | undefined;
};

/** Reads what the pages link to, once at start. Throws when the browser code has not been built. */
export function loadAssets({
  demo = false,
  program = programFiles,
}: { demo?: boolean; program?: ProgramFiles } = {}): Assets {
  const files = new Map<string, Asset>();

  function add(name: string, extension: string, type: string, body: string): string {
    const path = `/assets/${name}.${digest(body)}.${extension}`;
    files.set(path, { body, type });
    return path;
  }

  function addCompressed(name: string, extension: string, type: string): string {
    const gzip = readBuilt(program, `${name}.${extension}.gz`);
    const path = `/assets/${name}.${digest(gzip)}.${extension}`;
    files.set(path, { body: gunzipSync(gzip), type, gzip });
    return path;
  }

  let apiDocs: ReturnType<AssetLinks["apiDocs"]> | undefined;

  const links: AssetLinks = {
    stylesheet: add("pages", "css", cssType, readCss(program, "styles.css")),
    accountStylesheet: add("account", "css", cssType, readCss(program, "account.css")),
    icon: add("icon", "svg", "image/svg+xml", program.read("src/pages/icon.svg").toString("utf8")),
    hostedScript: add("hosted", "js", scriptType, readScript(program, "hosted.js")),
    demoScript: demo ? add("demo", "js", scriptType, readScript(program, "demo.js")) : undefined,
    demoStylesheet: demo ? add("demo", "css", cssType, readCss(program, "demo.css")) : undefined,
    standInStylesheet: demo ? add("stand-in", "css", cssType, readCss(program, "stand-in.css")) : undefined,
    apiDocs: () =>
      (apiDocs ??= {
        stylesheet: addCompressed("swagger-ui", "css", cssType),
        swaggerScript: addCompressed("swagger-ui", "js", scriptType),
        script: add("docs", "js", scriptType, readScript(program, "docs.js")),
      }),
    accent: accentLinks(),
  };
  return { links, findAsset: (path) => files.get(path) ?? findAccent(path) };
}

const cssType = "text/css; charset=utf-8";
const scriptType = "text/javascript; charset=utf-8";

/** The path says everything about the content, so nothing is stored; the digest in the query changes when the formula does. */
function accentLink(colour: string): string {
  return `/assets/accent.${colour.slice(1)}.css?v=${digest(accentStylesheet(colour))}`;
}

/** Every page asks for its app's colour, and working it out costs as much as a third of the page. */
function accentLinks(): AssetLinks["accent"] {
  const known = new LRUCache<string, string>({ max: 1000 });
  return (primaryColor) => {
    const colour = parseColour(primaryColor);
    if (colour === undefined) return undefined;
    const link = known.get(colour) ?? accentLink(colour);
    known.set(colour, link);
    return link;
  };
}

function findAccent(path: string): Asset | undefined {
  const digits = /^\/assets\/accent\.([0-9a-f]{6})\.css$/.exec(path)?.[1];
  return digits === undefined ? undefined : { body: accentStylesheet(`#${digits}`), type: cssType };
}

/** Comments and indentation are for us, not for the reader's phone. Strings in the stylesheet hold neither. */
export function compactCss(source: string): string {
  return source
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1")
    .replace(/: /g, ":")
    .replaceAll(";}", "}")
    .trim();
}

function readCss(program: ProgramFiles, name: string): string {
  return compactCss(program.read(`src/pages/${name}`).toString("utf8"));
}

function digest(body: string | Uint8Array): string {
  return createHash("sha256").update(body).digest("base64url").slice(0, 16);
}

function readScript(program: ProgramFiles, name: string): string {
  return readBuilt(program, name).toString("utf8");
}

function readBuilt(program: ProgramFiles, name: string): Buffer {
  const path = `src/pages/built/${name}`;
  try {
    return program.read(path);
  } catch (cause) {
    throw new Error(`The browser code ${path} is missing. Make it with: npm run build:pages`, { cause });
  }
}
