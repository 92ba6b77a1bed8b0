import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { makeChart } from "../../scripts/release/chart.ts";
import { noProgram } from "./left-out.ts";
import { packageRelease, smallProgram } from "./release.ts";

export type Resource = { kind: string; spec: Record<string, unknown> };

/** Why no chart can be rendered here; undefined if it can. */
export const noHelm = noProgram("helm", "version");

export async function chartOf(version: string): Promise<string> {
  const release = packageRelease(version, smallProgram);
  await makeChart(release);
  return join(release.folder, `authsvc-${version}.tgz`);
}

/** A helm that was built by `go install` knows no version of Kubernetes. */
export function helm(
  chart: string,
  values: string[],
): ReturnType<typeof spawnSync> & { stdout: string; stderr: string } {
  const args = ["template", "auth", chart, "--kube-version", "1.34.0", "--set", values.join(",")];
  return spawnSync("helm", args, { encoding: "utf8" });
}

export function resourcesOf(stdout: string): Resource[] {
  return parseAllDocuments(stdout).map((document) => document.toJS() as Resource);
}
