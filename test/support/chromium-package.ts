import { execFile } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { findPackageJSON } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface PackagedChromium {
  executablePath: string;
  env: Record<string, string>;
  /** Why it ends at its first https page; undefined if it does not. */
  noHttps?: string;
}

/** Debian's packages for what Chromium loads; on a bare Debian nothing else is missing. */
const debianPackages: Record<string, string> = {
  "libnss3.so": "libnss3",
  "libnssutil3.so": "libnss3",
  "libnspr4.so": "libnspr4",
  "libplc4.so": "libnspr4",
  "libplds4.so": "libnspr4",
  "libexpat.so.1": "libexpat1",
  "libgcc_s.so.1": "libgcc-s1",
  "libsqlite3.so.0": "libsqlite3-0",
};

/**
 * Unpacks the Chromium of `@sparticuz/chromium` once per version and returns how to start it.
 * @throws Error with one line that names what this machine lacks.
 */
export async function findPackagedChromium(): Promise<PackagedChromium> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`The npm package @sparticuz/chromium has no browser for ${process.platform}-${process.arch}.`);
  }
  const folder = await unpack();
  const executablePath = path.join(folder, "chromium");
  const fonts = { FONTCONFIG_FILE: writeFontConfig(folder) };
  if ((await missingLibraries(executablePath, {})).length === 0) return { executablePath, env: fonts };

  const libraries = { LD_LIBRARY_PATH: path.join(folder, "al2023", "lib") };
  const missing = await missingLibraries(executablePath, libraries);
  if (missing.length > 0) throw new Error(sentenceAbout(missing));
  // Loaded at the first https page, with a library that the package lacks.
  const later = await missingLibraries(path.join(folder, "al2023", "lib", "libsoftokn3.so"), libraries);
  return {
    executablePath,
    env: { ...fonts, ...libraries },
    ...(later.length > 0 && { noHttps: sentenceAbout(later) }),
  };
}

function sentenceAbout(missing: string[]): string {
  const packages = [...new Set(missing.map((name) => debianPackages[name] ?? name))];
  return `Chromium lacks ${missing.join(", ")} (Debian: apt-get install ${packages.join(" ")})`;
}

/**
 * The package itself unpacks to a fixed path that every user of the machine may write to, and two
 * processes at once break each other.
 */
async function unpack(): Promise<string> {
  const manifest = findPackageJSON("@sparticuz/chromium", import.meta.url);
  if (manifest === undefined) throw new Error("The npm package @sparticuz/chromium is not installed.");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const parent = cacheFolder();
  const folder = path.join(parent, `chromium-${version}`);
  if (existsSync(folder)) return folder;

  const unfinished = mkdtempSync(path.join(parent, "unpacking-"));
  const script = `
    import chromium, { inflate } from "@sparticuz/chromium";
    await chromium.executablePath();
    await inflate(process.argv[1]);`;
  const libraries = path.join(path.dirname(manifest), "bin", "al2023.tar.br");
  try {
    await run(process.execPath, ["--input-type=module", "--eval", script, libraries], {
      cwd: path.dirname(manifest),
      env: { ...process.env, TMPDIR: unfinished, NODE_OPTIONS: "" },
    });
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process may have been quicker.
    if (!existsSync(folder)) throw new Error("Chromium could not be unpacked.", { cause: error });
  }
  return folder;
}

/**
 * Beside the package, so that a new installation starts afresh; elsewhere only when that folder is
 * read-only.
 */
function cacheFolder(): string {
  const modules = path.resolve(import.meta.dirname, "../../node_modules");
  const base = isWritable(modules)
    ? path.join(modules, ".cache")
    : path.join(tmpdir(), `authsvc-test-${process.getuid?.() ?? "user"}`);
  mkdirSync(base, { recursive: true, mode: 0o755 });
  return base;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Screenshots look the same on every machine: the package's own font comes first, also where the
 * system has none at all.
 */
function writeFontConfig(folder: string): string {
  const file = path.join(folder, "fonts.conf");
  const directories = [path.join(folder, "fonts", "fonts"), "/usr/share/fonts", "/usr/local/share/fonts"];
  const preferred = ["sans-serif", "system-ui", "ui-sans-serif", "serif"];
  const content = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${directories.map((directory) => `  <dir>${directory}</dir>`).join("\n")}
  <cachedir>${path.join(folder, "fontconfig")}</cachedir>
${preferred.map((name) => `  <alias binding="same"><family>${name}</family><prefer><family>Open Sans</family></prefer></alias>`).join("\n")}
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<match target="pattern"><edit name="family" mode="append" binding="strong"><string>Open Sans</string></edit></match>
</fontconfig>
`;
  if (!existsSync(file) || readFileSync(file, "utf8") !== content) writeFileSync(file, content);
  return file;
}

async function missingLibraries(executablePath: string, env: Record<string, string>): Promise<string[]> {
  const stdout = await run("ldd", [executablePath], { env: { ...process.env, ...env } }).then(
    (result) => result.stdout,
    // Without ldd, starting the browser will tell.
    () => "",
  );
  return [...new Set(stdout.matchAll(/^\s*(\S+) => not found/gm).map((match) => match[1] ?? ""))];
}
