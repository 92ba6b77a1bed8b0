// `npm run audit:deps [-- --root FOLDER] [--since REVISION]`: audits dependencies, and the age of
// versions newer than the revision (HEAD). Exit codes: 1 a problem; 3 no answer about advisories.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Lock, Platform } from "./supply-chain/lock.ts";
import {
  adviceIn,
  complaintsAbout,
  isTooYoung,
  leastDays,
  newVersions,
  withoutIntegrity,
  type Manifest,
} from "./supply-chain/rules.ts";
import { sbomOf } from "./supply-chain/sbom.ts";

const { values } = parseArgs({ options: { root: { type: "string" }, since: { type: "string", default: "HEAD" } } });
const root = path.resolve(values.root ?? path.join(import.meta.dirname, ".."));
const platform = `${process.platform}-${process.arch}` as Platform;
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Manifest;
const lock = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as Lock;

const complaints = [...complaintsAbout(manifest, lock, platform), ...youngOnes()];
for (const complaint of complaints) console.log(`FAILED ${complaint}`);
if (complaints.length === 0) {
  console.log(
    `ok     ${sbomOf({ lock, platform }).components.length} packages in the executable for ${platform}: exact, locked, without install scripts, under known licences`,
  );
}
const unknown = withoutIntegrity(lock);
if (unknown.length > 0)
  console.log(
    `note   ${unknown.length} binaries for other platforms are locked without their integrity, which the registry did not offer`,
  );
process.exitCode = complaints.length > 0 ? 1 : 0;
askForAdvisories();

/** New versions since the revision that are younger than a week or of unknown age. */
function youngOnes(): string[] {
  const before = lockAt(values.since);
  return (before ? newVersions(before, lock) : []).flatMap(({ name, version }) => {
    const publishedAt = npm("view", `${name}@${version}`, "time", "--json");
    let times: Record<string, string> | undefined;
    try {
      times = JSON.parse(publishedAt) as Record<string, string>;
    } catch {
      console.log(`note   the age of ${name}@${version} could not be asked`);
      return [];
    }
    const time = times[version];
    return time !== undefined && isTooYoung(time, Date.now())
      ? [`${name}@${version} is younger than ${leastDays} days`]
      : [];
  });
}

function lockAt(revision: string): Lock | undefined {
  try {
    const shown = execFileSync("git", ["show", `${revision}:./package-lock.json`], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 64 * 1024 * 1024,
    });
    return JSON.parse(shown) as Lock;
  } catch {
    // Not a repository, for example an archive of the sources.
    return undefined;
  }
}

function askForAdvisories(): void {
  const advice = adviceIn(npm("audit", "--omit=dev", "--package-lock-only", "--json"));
  if (advice.kind === "unasked") {
    console.log(`note   advisories could not be asked: ${advice.reason}`);
    if (process.exitCode === 0) process.exitCode = 3;
    return;
  }
  for (const each of advice.grave) console.log(`FAILED there is an advisory about ${each}`);
  if (advice.grave.length > 0) process.exitCode = 1;
  else console.log(`ok     no high or critical advisory (${advice.other} others)`);
}

function npm(...args: string[]): string {
  return spawnSync("npm", args, { cwd: root, encoding: "utf8", shell: process.platform === "win32" }).stdout ?? "";
}
