// `npm run release [-- --key FILE --image-base FOLDER]`: makes dist/release of the committed files.
// If a part fails, the folder stays as it was (docs/decisions/0065). `--allow-dirty`: for tests.
import { mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "./build/target.ts";
import { makeArchives } from "./release/archives.ts";
import { makeChart } from "./release/chart.ts";
import { makeDeb } from "./release/deb.ts";
import { buildExecutables } from "./release/executables.ts";
import { commitTime, obstacles, version, type Release } from "./release/release.ts";
import { makeImage } from "./release/image.ts";
import { makeRpm } from "./release/rpm.ts";
import { makeManualAndCompletions, makeShare } from "./release/share.ts";
import { filesOf, makeBillsOfMaterials, makeSums } from "./release/sums.ts";

/** A row of docs/decisions/0065 each. The sums come last: they cover everything. */
const parts: ((release: Release) => Promise<void>)[] = [
  makeArchives,
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
    "image-base": { type: "string" },
    "allow-dirty": { type: "boolean", default: false },
  },
});
const found = obstacles({ key: values.key, imageBase: values["image-base"], allowDirty: values["allow-dirty"] });
if (found.length > 0) {
  console.error(found.join("\n"));
  process.exitCode = 1;
} else await make();

async function make(): Promise<void> {
  const finished = path.join(root, "dist", "release");
  const folder = `${finished}.unfinished`;
  const work = path.join(root, "build", "release");
  for (const old of [folder, work]) rmSync(old, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const share = path.join(work, "share");
    const epoch = commitTime();
    makeShare(share, epoch);
    const executables = buildExecutables(work);
    const release = { version, epoch, folder, executables, share, key: values.key, imageBase: values["image-base"] };
    for (const part of parts) await part(release);
    rmSync(finished, { recursive: true, force: true });
    renameSync(folder, finished);
    report(finished);
  } catch (error) {
    console.error(`Nothing was released. ${(error as Error).message}`);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(folder: string): void {
  for (const name of filesOf(folder)) {
    const bytes = statSync(path.join(folder, name)).size;
    const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
    console.log(`${name.padEnd(68)} ${size.padStart(9)}`);
  }
  const signed = values.key === undefined ? "not signed: --key FILE signs it" : "signed";
  console.log(`\nauthsvc ${version} is in ${path.relative(process.cwd(), folder)}; SHA256SUMS is ${signed}.`);
}
