// `npm run release [-- --key FILE --url URL --image-base FOLDER]`: makes dist/release of the
// committed files (docs/decisions/0065).
import { execFileSync } from "node:child_process";
import { rmSync, statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "./build/target.ts";
import { makeArchives } from "./release/archives.ts";
import { makeChart } from "./release/chart.ts";
import { makeDeb } from "./release/deb.ts";
import { buildExecutables } from "./release/executables.ts";
import { makeFormula } from "./release/formula.ts";
import { makeImage } from "./release/image.ts";
import { makeNpmPackages, makeSdk } from "./release/npm.ts";
import { commitTime, obstacles, replaceFolder, version, type Release } from "./release/release.ts";
import { makeRpm } from "./release/rpm.ts";
import { makeManualAndCompletions, makeShare } from "./release/share.ts";
import { filesOf, makeBillsOfMaterials, makeSums } from "./release/sums.ts";
import { makeWheel } from "./release/wheel.ts";

/** The sums come last: they cover everything. */
const parts: ((release: Release) => Promise<void>)[] = [
  makeArchives,
  makeNpmPackages,
  makeSdk,
  makeWheel,
  makeFormula,
  makeDeb,
  makeRpm,
  makeImage,
  makeChart,
  makeManualAndCompletions,
  makeBillsOfMaterials,
  makeSums,
];

const { values } = parseArgs({
  options: {
    key: { type: "string" },
    url: { type: "string" },
    "image-base": { type: "string" },
    "allow-dirty": { type: "boolean", default: false },
  },
});
const { key, url, "image-base": imageBase, "allow-dirty": allowDirty } = values;

// A zip file holds local times.
process.env["TZ"] = "UTC";
const found = obstacles({ key, imageBase, allowDirty });
if (found.length > 0) fail(found.join("\n"));
else await replaceFolder(path.join(root, "dist", "release"), make).then(report, fail);

async function make(folder: string): Promise<void> {
  const work = path.join(root, "build", "release");
  rmSync(work, { recursive: true, force: true });
  const share = path.join(work, "share");
  const epoch = commitTime();
  makeShare(share, epoch);
  execFileSync(process.execPath, [path.join(root, "scripts", "build-pages.ts")], { cwd: root });
  const executables = await buildExecutables(work);
  for (const part of parts) await part({ version, epoch, folder, executables, share, key, url, imageBase });
}

function report(folder: string): void {
  for (const name of filesOf(folder)) {
    const bytes = statSync(path.join(folder, name)).size;
    const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
    console.log(`${name.padEnd(68)} ${size.padStart(9)}`);
  }
  const signed = key === undefined ? "not signed: --key FILE signs it" : "signed";
  console.log(`\nauthsvc ${version} is in ${path.relative(process.cwd(), folder)}; SHA256SUMS is ${signed}.`);
}

function fail(reason: unknown): void {
  console.error(reason instanceof Error ? `Nothing was released: ${reason.message}` : reason);
  process.exitCode = 1;
}
