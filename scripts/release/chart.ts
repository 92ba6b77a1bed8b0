import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../build/target.ts";
import type { Release } from "./release.ts";
import { tarOf, type TarEntry } from "./tar.ts";

/** authsvc-VERSION.tgz: the chart of deploy/helm, with the version of the release. */
export async function makeChart({ version, epoch, folder }: Release): Promise<void> {
  const chart = path.join(root, "deploy/helm/authsvc");
  const files = readdirSync(chart, { recursive: true, encoding: "utf8" }).filter((name) => path.extname(name) !== "");
  const entries = files.toSorted().map((name): TarEntry => {
    const content = readFileSync(path.join(chart, name), "utf8");
    const isChart = name === "Chart.yaml";
    return { name: `authsvc/${name}`, mode: 0o644, content: isChart ? content.replaceAll("0.0.0", version) : content };
  });
  writeFileSync(path.join(folder, `authsvc-${version}.tgz`), gzipSync(await tarOf(entries, epoch), { level: 9 }));
}
