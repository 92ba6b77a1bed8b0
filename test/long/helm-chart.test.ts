import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { makeChart } from "../../scripts/release/chart.ts";
import { readDockerfile } from "../../scripts/release/dockerfile.ts";
import { emptyFolder } from "../cli/command.ts";
import { smallProgram, packageRelease } from "../support/release.ts";
import { noProgram } from "../support/left-out.ts";

type Resource = { kind: string; spec: Record<string, unknown> };

const url = "baseUrl=https://auth.example.com";
const key = "masterKey.secretName=master-key";
const database = "postgresql.secretName=database";
const ingress = "ingress.enabled=true,ingress.className=nginx,ingress.tlsSecretName=tls,trustedProxies={10.0.0.0/8}";
const reason = missingTool();

test("the chart is the same file each time, with the version of the release", async () => {
  const [first, second] = [await chartOf("1.2.3"), await chartOf("1.2.3")];
  expect(readFileSync(first).equals(readFileSync(second))).toBe(true);
  const { stdout } = spawnSync("tar", ["--extract", "--gzip", "--to-stdout", `--file=${first}`, "authsvc/Chart.yaml"]);
  expect(parse(stdout.toString())).toMatchObject({ name: "authsvc", version: "1.2.3", appVersion: "1.2.3" });
});

test.skipIf(reason !== undefined).each([
  ["SQLite as one pod with a volume", [url, key], ["Deployment", "PersistentVolumeClaim", "Service"]],
  [
    "PostgreSQL with several pods, which are not all evicted together",
    [url, key, database, "replicas=3"],
    ["Deployment", "PodDisruptionBudget", "Service"],
  ],
  ["an ingress", [url, key, ingress], ["Deployment", "Ingress", "PersistentVolumeClaim", "Service"]],
])(`the chart deploys %s${reason === undefined ? "" : ` (skipped: ${reason})`}`, async (_, values, kinds) => {
  const { status, stdout, stderr } = helm(await chartOf("1.2.3"), values);
  expect([status, stderr]).toEqual([0, ""]);
  const schemas = join(schemaFolder(), "{{.ResourceKind}}{{.KindSuffix}}.json");
  const checked = spawnSync("kubeconform", ["-strict", "-schema-location", schemas], {
    input: stdout,
    encoding: "utf8",
  });
  expect([checked.status, checked.stdout]).toEqual([0, ""]);

  const resources = parseAllDocuments(stdout).map((document) => document.toJS() as Resource);
  expect(resources.map(({ kind }) => kind).toSorted()).toEqual(kinds);
  const user = Number(readDockerfile().config.User.split(":")[0]);
  expect(resources.find(({ kind }) => kind === "Deployment")?.spec).toMatchObject({
    strategy: { type: kinds.includes("PersistentVolumeClaim") ? "Recreate" : "RollingUpdate" },
    template: {
      spec: {
        securityContext: { runAsNonRoot: true, runAsUser: user, fsGroup: user },
        containers: [{ image: "authsvc:1.2.3", securityContext: { readOnlyRootFilesystem: true } }],
      },
    },
  });
});

test.skipIf(reason !== undefined).each([
  ["several pods with SQLite", [url, key, "replicas=2"], "SQLite is one pod. Set postgresql.secretName for several."],
  ["no base URL", [key], "baseUrl: the URL at which browsers reach the service"],
  ["no master key", [url], "masterKey.secretName: a secret with the master key"],
])("the chart refuses %s", async (_, values, sentence) => {
  expect(helm(await chartOf("1.2.3"), values)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(sentence) as string,
  });
});

async function chartOf(version: string): Promise<string> {
  const release = packageRelease(version, smallProgram);
  await makeChart(release);
  return join(release.folder, `authsvc-${version}.tgz`);
}

function helm(chart: string, values: string[]): ReturnType<typeof spawnSync> & { stdout: string; stderr: string } {
  return spawnSync("helm", ["template", "auth", chart, "--set", values.join(",")], { encoding: "utf8" });
}

/** They are not part of Node, so that nobody needs them for anything else. */
function missingTool(): string | undefined {
  const missing = noProgram("helm", "-h") ?? noProgram("kubeconform", "-h");
  if (missing !== undefined) return missing;
  return packagedSchemas() === "" ? "Python has no kubernetes-validate here" : undefined;
}

/** The schemas of Kubernetes, which come with a package for Python. */
function packagedSchemas(): string {
  const script = "import kubernetes_validate as k; print(k.__path__[0] + '/kubernetes-json-schema', end='')";
  return spawnSync("python3", ["-c", script], { encoding: "utf8" }).stdout ?? "";
}

/** Those of the newest version, with references to files that kubeconform finds. */
function schemaFolder(): string {
  const all = packagedSchemas();
  const strict = readdirSync(all).filter((name) => name.endsWith("-local-strict"));
  const newest = strict.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1) ?? "";
  const folder = emptyFolder();
  for (const name of readdirSync(join(all, newest))) {
    const { $id: _, ...schema } = JSON.parse(readFileSync(join(all, newest, name), "utf8")) as Record<string, unknown>;
    writeFileSync(join(folder, name), JSON.stringify(schema).replaceAll("/api/_definitions.json", "_definitions.json"));
  }
  return folder;
}
