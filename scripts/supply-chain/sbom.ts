import { createHash } from "node:crypto";
import { productionClosure, runtimes, type Lock, type Locked, type Platform } from "./lock.ts";

type Component = {
  type: "application" | "library" | "platform";
  "bom-ref": string;
  group?: string;
  name: string;
  version: string;
  licenses: { license: { id: string } }[] | { expression: string }[];
  purl: string;
  hashes?: { alg: "SHA-512"; content: string }[];
};

/** CycloneDX 1.6: https://cyclonedx.org/docs/1.6/json/ */
export type Sbom = {
  bomFormat: "CycloneDX";
  specVersion: "1.6";
  serialNumber: string;
  version: 1;
  metadata: {
    lifecycles: { phase: "build" }[];
    component: Component;
    properties: { name: string; value: string }[];
  };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

/**
 * The contents of a platform's executable, from the lock file alone. Reproducible: no time, and a
 * serial number that is a digest of the rest. `without`: optional packages that the build left out.
 * Throws for a package without version, licence or integrity, because the list must be complete.
 */
export function sbomOf({ lock, platform, without }: { lock: Lock; platform: Platform; without?: string[] }): Sbom {
  const closure = productionClosure(lock, platform, without);
  const root = lock.packages[""];
  const name = root?.name ?? "";
  const version = root?.version ?? "";
  const own: Component = {
    type: "application",
    "bom-ref": `pkg:generic/${name}@${version}`,
    name,
    version,
    licenses: [{ license: { id: root?.license ?? "" } }],
    purl: `pkg:generic/${name}@${version}`,
  };
  const direct = [...Object.keys(root?.dependencies ?? {}), runtimes[platform]];
  const locked = [...closure.keys()];
  const components = new Map(locked.map((each) => [refOf(each), componentOf(each, platform)]));
  const needs = new Map([...closure].map(([each, needed]) => [refOf(each), needed.map(refOf)]));
  needs.set(
    own["bom-ref"],
    locked.filter(({ place }) => direct.includes(place.slice("node_modules/".length))).map(refOf),
  );
  const content = {
    metadata: {
      lifecycles: [{ phase: "build" as const }],
      component: own,
      properties: [{ name: "authsvc:platform", value: platform }],
    },
    components: [...components.values()].toSorted(byRef),
    dependencies: [...needs]
      .map(([ref, dependsOn]) => ({ ref, dependsOn: [...new Set(dependsOn)].toSorted() }))
      .toSorted((a, b) => (a.ref < b.ref ? -1 : 1)),
  };
  return { bomFormat: "CycloneDX", specVersion: "1.6", serialNumber: serialOf(content), version: 1, ...content };
}

/**
 * Packages with modules in a bundle (absolute paths, as rolldown's `moduleIds`) that the list
 * omits.
 */
export function unlistedIn(sbom: Sbom, moduleIds: string[]): string[] {
  const listed = new Set(sbom.components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`)));
  const used = moduleIds
    .map((id) => /^.*[/\\]node_modules[/\\](@[^/\\]+[/\\][^/\\]+|[^/\\]+)/u.exec(id)?.[1]?.replace("\\", "/"))
    .filter((name) => name !== undefined);
  return [...new Set(used)].filter((name) => !listed.has(name));
}

/** The name of an npm package in an SBOM: https://github.com/package-url/purl-spec */
function refOf({ name, entry }: Pick<Locked, "name" | "entry">): string {
  return `pkg:npm/${name.replace("@", "%40")}@${entry.version ?? ""}`;
}

function componentOf(locked: Locked, platform: Platform): Component {
  const { name, entry } = locked;
  const { version, license, integrity } = entry;
  if (!version || !license || !integrity?.startsWith("sha512-")) {
    throw new Error(
      `package-lock.json has no ${version ? (license ? "integrity" : "licence") : "version"} of ${name}, which the executable for ${platform} holds`,
    );
  }
  const [group, short] = name.startsWith("@") ? name.split("/") : [undefined, name];
  const isExpression = /[ ()]/u.test(license);
  return {
    type: name === runtimes[platform] ? "platform" : "library",
    "bom-ref": refOf(locked),
    ...(group === undefined ? {} : { group }),
    name: short ?? name,
    version,
    licenses: isExpression ? [{ expression: license }] : [{ license: { id: license } }],
    purl: refOf(locked),
    hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex") }],
  };
}

/** A UUID (RFC 9562, version 8) derived from the content. */
function serialOf(content: object): string {
  const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const variant = ((Number.parseInt(digest[16] ?? "0", 16) & 3) | 8).toString(16);
  return `urn:uuid:${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

function byRef(a: Component, b: Component): number {
  return a["bom-ref"] < b["bom-ref"] ? -1 : 1;
}
