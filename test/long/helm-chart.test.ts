import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readDockerfile } from "../../scripts/release/dockerfile.ts";
import { emptyFolder } from "../cli/command.ts";
import { leftOut, noProgram } from "../support/left-out.ts";
import { chartOf, helm, noHelm, resourcesOf } from "../support/helm.ts";

const url = "baseUrl=https://auth.example.com,trustedProxies={10.0.0.0/8}";
const key = "masterKey.secretName=master-key";
const database = "postgresql.secretName=database";
const ingress = "ingress.enabled=true,ingress.className=nginx,ingress.tlsSecretName=tls";
const openShift = ["runAsUser", "runAsGroup", "fsGroup"].map((name) => `podSecurityContext.${name}=null`).join();
const more = [
  "volumes[0].name=ca,volumes[0].configMap.name=company-ca,volumeMounts[0].name=ca,volumeMounts[0].mountPath=/ca",
  "podAnnotations.a=p,podLabels.l=p,serviceAnnotations.a=s,serviceAccountName=auth,resources.limits.memory=2Gi",
].join();
const noSchemas = missingTool();

test("the chart is the same file each time, with the version of the release", async () => {
  const [first, second] = [await chartOf("1.2.3"), await chartOf("1.2.3")];
  expect(readFileSync(first).equals(readFileSync(second))).toBe(true);
  const { stdout } = spawnSync("tar", ["--extract", "--gzip", "--to-stdout", `--file=${first}`, "authsvc/Chart.yaml"]);
  expect(parse(stdout.toString())).toMatchObject({ name: "authsvc", version: "1.2.3", appVersion: "1.2.3" });
});

test.skipIf(noHelm !== undefined).each([
  ["SQLite as one pod with a volume", [url, key], ["Deployment", "PersistentVolumeClaim", "Service"]],
  [
    "PostgreSQL with several pods, which are not all evicted together",
    [url, key, database, "replicas=3"],
    ["Deployment", "PodDisruptionBudget", "Service"],
  ],
  ["an ingress", [url, key, ingress], ["Deployment", "Ingress", "PersistentVolumeClaim", "Service"]],
])(`the chart deploys %s${noHelm === undefined ? "" : ` (skipped: ${noHelm})`}`, async (_, values, kinds) => {
  const { status, stdout, stderr } = helm(await chartOf("1.2.3"), values);
  expect([status, stderr]).toEqual([0, ""]);
  const resources = resourcesOf(stdout);
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

test.skipIf(noHelm !== undefined).each([
  ["several pods with SQLite", [url, key, "replicas=2"], "SQLite is one pod. Set postgresql.secretName for several."],
  [
    "https without the proxy that terminates it",
    ["baseUrl=https://auth.example.com", key],
    "trustedProxies: the addresses or network of the ingress controller's pods",
  ],
  ["no base URL", [key], "baseUrl: the URL at which browsers reach the service"],
  ["no master key", [url], "masterKey.secretName: a secret with the master key"],
])(`the chart refuses %s${leftOut(noHelm)}`, async (_, values, sentence) => {
  expect(helm(await chartOf("1.2.3"), values)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(sentence) as string,
  });
});

test.skipIf(noSchemas !== undefined)(
  `Kubernetes knows every field${noSchemas === undefined ? "" : ` (skipped: ${noSchemas})`}`,
  async () => {
    const { stdout } = helm(await chartOf("1.2.3"), [url, key, database, ingress, more]);
    const schemas = join(schemaFolder(), "{{.ResourceKind}}{{.KindSuffix}}.json");
    const checked = spawnSync("kubeconform", ["-strict", "-schema-location", schemas], {
      input: stdout,
      encoding: "utf8",
    });
    expect([checked.status, checked.stdout]).toEqual([0, ""]);
  },
);

test.skipIf(noHelm !== undefined)(`what an operator adds to the pod is in it${leftOut(noHelm)}`, async () => {
  const { stdout, stderr } = helm(await chartOf("1.2.3"), [url, key, more, openShift]);
  expect(stderr).toBe("");
  const resources = resourcesOf(stdout);
  const find = (kind: string) => resources.find((resource) => resource.kind === kind);
  expect(find("Service")).toMatchObject({ metadata: { annotations: { a: "s" } } });
  const template = find("Deployment")?.spec["template"] as { spec: { securityContext: object } };
  expect(template).toMatchObject({
    metadata: { annotations: { a: "p" }, labels: { l: "p", "app.kubernetes.io/name": "authsvc" } },
    spec: {
      enableServiceLinks: false,
      serviceAccountName: "auth",
      volumes: [{ name: "data" }, { name: "master-key" }, { name: "ca", configMap: { name: "company-ca" } }],
      containers: [
        {
          volumeMounts: [{ name: "data" }, { name: "master-key" }, { name: "ca", mountPath: "/ca" }],
          resources: { limits: { memory: "2Gi" } },
        },
      ],
    },
  });
  expect(Object.keys(template.spec.securityContext).toSorted()).toEqual([
    "fsGroupChangePolicy",
    "runAsNonRoot",
    "seccompProfile",
  ]);
});

/** They are not part of Node, so that nobody needs them for anything else. */
function missingTool(): string | undefined {
  const missing = noHelm ?? noProgram("kubeconform", "-h");
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
