import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { emptyFolder, finish, type Finished } from "../cli/command.ts";
import { whyNoStrace } from "../faults/strace.ts";
import { bareRoot, noBareRoot, put, startIn } from "../support/bare-root.ts";
import { program } from "../support/program.ts";
import { makeRelease, platform, scriptOf, serveReleases } from "../support/published-release.ts";
import { writeCertificate } from "../support/tls-files.ts";

const next = "99.1.0";
let built: string;
beforeAll(() => {
  // On the disk of the installations, which are links to it: a replacement never writes into it.
  built = join(emptyFolder(), "authsvc");
  copyFileSync(program[0], built);
});

/** An installed executable in a folder of its own. */
function install(...below: string[]): { folder: string; file: string; data: string } {
  const root = emptyFolder();
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, ...below);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "authsvc");
  linkSync(built, file);
  return { folder, file, data: join(root, "data") };
}

async function run(words: string[], cwd: string, env: Record<string, string> = {}): Promise<Finished> {
  const child = spawn(words[0] ?? "", words.slice(1), { cwd, env: { PATH: "", HOME: "", ...env } });
  const finished = finish(child);
  child.stdin.end();
  return await finished;
}

const isOld = (file: string): boolean => statSync(file).ino === statSync(built).ino;

describe("authsvc update", () => {
  test("replaces its own file after a backup, keeps the old one, and both still work", async () => {
    const { folder, file, data } = install("bin");
    const { folder: release, key } = await makeRelease(join(emptyFolder(), "release"), { version: next });
    expect(await run([file, "app", "create", "--name", "Shop", "--data", data], folder)).toMatchObject({ code: 0 });
    const { mode } = statSync(file);
    const words = [file, "update", "--from", release, "--public-key", key, "--data", data, "--json"];

    const planned = await run([...words, "--dry-run"], folder);
    expect(JSON.parse(planned.stdout)).toMatchObject({ version: next, updated: false, dryRun: true });
    expect(isOld(file)).toBe(true);

    const { code, stdout, stderr } = await run(words, folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining("restart it")]);
    const previous = `${file}.previous`;
    const backup = join(data, `before-${next}.backup`);
    expect(JSON.parse(stdout)).toMatchObject({ version: next, updated: true, file, previous, backup });
    expect(readFileSync(file)).toEqual(scriptOf(next));
    expect(statSync(file).mode).toBe(mode);
    expect(readdirSync(folder).toSorted()).toEqual(["authsvc", "authsvc.previous"]);
    // Going back.
    expect(readFileSync(previous).equals(readFileSync(built))).toBe(true);
    const restored = await run([previous, "db", "restore", backup, "--data", data, "--yes"], folder);
    expect(restored).toMatchObject({ code: 0 });
  });

  test("Z7: root backs up as the owner of the data, who can restore it", async ({ skip }) => {
    skip(process.getuid?.() !== 0, "only root can become another user");
    const { folder, file, data } = install("bin");
    const { folder: release, key } = await makeRelease(join(emptyFolder(), "release"), { version: next });
    expect(await run([file, "app", "create", "--name", "Shop", "--data", data], folder)).toMatchObject({ code: 0 });
    chmodSync(join(folder, ".."), 0o755);
    const owner = 65_534;
    execFileSync("chown", ["-R", `${owner}:${owner}`, data]);
    const words = [file, "update", "--from", release, "--public-key", key, "--data", data];
    expect(await run(words, folder)).toMatchObject({ code: 0 });
    const { uid, gid } = statSync(join(data, `before-${next}.backup`));
    expect([uid, gid]).toEqual([owner, owner]);
  });

  test("says that this version is there already", async () => {
    const { folder, file } = install();
    const { version } = JSON.parse((await run([file, "version", "--json"], folder)).stdout) as { version: string };
    const { folder: release, key } = await makeRelease(join(emptyFolder(), "release"), { version });
    const { code, stdout } = await run([file, "update", "--from", release, "--public-key", key], folder);
    expect([code, stdout]).toEqual([0, `authsvc ${version} is already installed.\n`]);
    expect(isOld(file)).toBe(true);
  });

  type Release = Awaited<ReturnType<typeof makeRelease>>;
  const other = platform === "linux-arm64" ? "linux-x64" : "linux-arm64";
  const refusals: [what: string, make: (folder: string) => Promise<Release | [Release, ...string[]]>, says: string][] =
    [
      [
        "another key signed",
        async (folder) => ({
          ...(await makeRelease(folder, { version: next })),
          key: (await makeRelease(`${folder}2`, { version: next })).key,
        }),
        "the signature of SHA256SUMS is wrong",
      ],
      [
        "the list of digests was changed",
        async (folder) => {
          const made = await makeRelease(folder, { version: next });
          appendFileSync(join(folder, "SHA256SUMS"), `${"0".repeat(64)}  more\n`);
          return made;
        },
        "the signature of SHA256SUMS is wrong",
      ],
      [
        "nobody signed",
        async (folder) => {
          const made = await makeRelease(folder, { version: next });
          rmSync(join(folder, "SHA256SUMS.sig"));
          return made;
        },
        "it is not signed",
      ],
      [
        "the archive was changed",
        async (folder) => {
          const made = await makeRelease(folder, { version: next });
          appendFileSync(join(folder, made.archive), "\0");
          return made;
        },
        "does not have the digest that SHA256SUMS signs",
      ],
      [
        "the built-in key did not sign",
        async (folder) => ({ ...(await makeRelease(folder, { version: next })), key: "" }),
        "the signature of SHA256SUMS is wrong",
      ],
      [
        "the key is of another kind",
        async (folder) => {
          const made = await makeRelease(folder, { version: next });
          writeFileSync(made.key, "hello");
          return made;
        },
        "--public-key:",
      ],
      [
        "it is for another platform",
        async (folder) => await makeRelease(folder, { version: next, platform: other }),
        `has no archive for this platform (${platform})`,
      ],
      [
        "the named archive is for another platform",
        async (folder) => {
          const made = await makeRelease(folder, { version: next });
          const named = join(folder, `authsvc-${next}-${other}.tar.gz`);
          writeFileSync(named, "");
          return [{ ...made, folder: named }];
        },
        "the archive for this platform",
      ],
      [
        "it is older",
        async (folder) => await makeRelease(folder, { version: "0.0.9" }),
        "authsvc db restore FILE --yes",
      ],
      [
        "it is not the version that was asked for",
        async (folder) => [await makeRelease(folder, { version: next }), "--to", "99.2.0"],
        `The archive contains version ${next}, not 99.2.0`,
      ],
      [
        "the executable does not run here",
        async (folder) =>
          await makeRelease(folder, { version: next, executable: { content: Buffer.from("#!/bin/sh\nexit 9\n") } }),
        "does not run here",
      ],
      [
        "the executable has another version",
        async (folder) => await makeRelease(folder, { version: next, executable: { content: readFileSync(built) } }),
        `The archive of ${next} contains an executable of`,
      ],
      [
        "there is no executable in it",
        async (folder) => await makeRelease(folder, { version: next, executable: { name: "authsvc.exe" } }),
        "has no file authsvc",
      ],
      [
        "there is nothing",
        async (folder) => ({ ...(await makeRelease(folder, { version: next })), folder: emptyFolder() }),
        "there is no SHA256SUMS",
      ],
    ];
  test.each(refusals)("Z1, Z2: %s: refused, and nothing is changed", async (_what, make, says) => {
    const { folder, file } = install();
    const made = await make(join(emptyFolder(), "release"));
    const [{ folder: release, key }, ...more] = Array.isArray(made) ? made : [made];
    const keyWords = key === "" ? [] : ["--public-key", key];
    const { code, stderr } = await run([file, "update", "--from", release, ...keyWords, "--yes", ...more], folder);
    expect(stderr).toContain(says);
    expect([2, 4]).toContain(code);
    expect(readdirSync(folder)).toEqual(["authsvc"]);
    expect(isOld(file)).toBe(true);
  });

  test("asks before it updates without a backup of its own", async () => {
    const { folder, file } = install();
    const { folder: release, key } = await makeRelease(join(emptyFolder(), "release"), { version: next });
    const words = [file, "update", "--from", release, "--public-key", key];
    const nothing = await run(words, folder);
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining("No database found in")]);
    const url = { AUTHSVC_DATABASE__URL: "postgres://localhost:1/none", AUTHSVC_MASTER_KEY: "A".repeat(43) };
    const postgres = await run(words, folder, url);
    expect([postgres.code, postgres.stderr]).toEqual([2, expect.stringContaining("pg_dump")]);
    expect(isOld(file)).toBe(true);
    expect(await run([...words, "--yes"], folder, url)).toMatchObject({ code: 0 });
    expect(readFileSync(file)).toEqual(scriptOf(next));
  });

  test("a failed one leaves a backup, and the next one is not asked about it", async () => {
    const { folder, file, data } = install();
    expect(await run([file, "app", "create", "--name", "Shop", "--data", data], folder)).toMatchObject({ code: 0 });
    const broken = { content: Buffer.from("#!/bin/sh\nexit 9\n") };
    for (const executable of [broken, broken, undefined]) {
      const { folder: release, key } = await makeRelease(join(emptyFolder(), "release"), {
        version: next,
        ...(executable && { executable }),
      });
      const { code, stderr } = await run(
        [file, "update", "--from", release, "--public-key", key, "--data", data],
        folder,
      );
      expect([code, stderr]).toEqual(
        executable ? [4, expect.stringContaining("does not run here")] : [0, expect.stringContaining("restart it")],
      );
    }
    expect(readdirSync(data).filter((name) => name.includes("backup"))).toEqual([`before-${next}.backup`]);
  });

  test.for([false, true])(
    "Z3: killed at any step, the file is the old or the new one, and the next call ends the work (with a database: %s)",
    async (withDatabase, { skip }) => {
      const reason = whyNoStrace();
      skip(reason !== undefined, reason);
      const { folder: release, key } = await makeRelease(join(emptyFolder(), "release"), { version: next });
      const strace = spawnSync("sh", ["-c", "command -v strace"], { encoding: "utf8" }).stdout.trim();
      const filled = install();
      if (withDatabase)
        await run([filled.file, "app", "create", "--name", "Shop", "--data", filled.data], filled.folder);
      for (const call of withDatabase ? ["fsync", "rename", "unlink"] : ["fsync", "rename", "fchmod"]) {
        let kills = 0;
        for (let isDone = false; !isDone;) {
          const { folder, file, data } = install("bin");
          if (withDatabase) cpSync(filled.data, data, { recursive: true });
          // Without a database it asks whether to update without a backup.
          const where = withDatabase ? ["--data", data] : ["--yes"];
          const words = [file, "update", "--from", release, "--public-key", key, ...where];
          const inject = `inject=${call}:signal=SIGKILL:when=${kills + 1}`;
          const traced = [strace, "-f", "-qq", "-o", "/dev/null", "-e", `trace=${call}`, "-e", inject];
          const { code } = await run([...traced, ...words], folder);
          isDone = code === 0;
          if (!isDone) kills += 1;
          if (!isOld(file)) expect(readFileSync(file)).toEqual(scriptOf(next));
          const previous = `${file}.previous`;
          if (existsSync(previous)) expect(readFileSync(previous).equals(readFileSync(built))).toBe(true);
          if (isOld(file)) {
            expect(await run(words, folder)).toMatchObject({ code: 0 });
            expect(readFileSync(file)).toEqual(scriptOf(next));
            expect(readdirSync(folder).toSorted()).toEqual(["authsvc", "authsvc.previous"]);
            const kept = withDatabase ? readdirSync(data).filter((name) => /backup|partial/u.test(name)) : [];
            expect(kept).toEqual(withDatabase ? [`before-${next}.backup`] : []);
          }
          rmSync(folder, { recursive: true });
        }
        expect(kills, call).toBeGreaterThan(1);
      }
    },
  );

  test.each([
    ["npm", ["node_modules", "@authsvc", platform], {}],
    ["Homebrew", ["Cellar", "authsvc", "1.0.0", "bin"], {}],
    ["a container's image", ["bin"], { container: "oci" }],
  ])("Z5: leaves a file alone that belongs to %s", async (name, below, env) => {
    const { folder, file } = install(...below);
    const { folder: release, key } = await makeRelease(join(emptyFolder(), "release"), { version: next });
    const refused = await run([file, "update", "--from", release, "--public-key", key, "--yes"], folder, env);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining(`This executable belongs to ${name}.`)]);
    expect(isOld(file)).toBe(true);
  });

  test.skipIf(noBareRoot())("Z5: leaves a file alone that belongs to a package or to another user", async () => {
    const root = bareRoot();
    put(root, "/bin/sh", "/bin/sh");
    put(root, built, "/usr/bin/authsvc");
    put(root, built, "/opt/authsvc");
    writeFileSync(join(root, "usr/bin/dpkg"), `#!/bin/sh\n[ "$1 $2" = "-S /usr/bin/authsvc" ]\n`, { mode: 0o755 });
    const { key } = await makeRelease(join(root, "release"), { version: next });
    chmodSync(key, 0o644);
    const words = ["update", "--from", "/release", "--public-key", "/release.pem", "--yes"];
    const update = async (file: string, user: string): Promise<Finished> =>
      await finish(startIn(root, [file, ...words], { user }));
    expect(await update("/usr/bin/authsvc", "0:0")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("This executable belongs to dpkg.") as string,
    });
    expect(await update("/opt/authsvc", "65532:65532")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("This user may not write to /opt") as string,
    });
    expect(await update("/opt/authsvc", "0:0")).toMatchObject({ code: 0 });
    expect(readFileSync(join(root, "opt/authsvc"))).toEqual(scriptOf(next));
  });

  test("finds the newest version over https, and follows redirects", async () => {
    const { folder, file } = install();
    const { folder: release, key, archive } = await makeRelease(join(emptyFolder(), "release"), { version: next });
    const tls = emptyFolder();
    await writeCertificate(tls);
    const { url, asked } = await serveReleases(release, next, {
      tls,
      answer: (request, response) => {
        const isMoved = request.url === `/releases/download/v${next}/${archive}`;
        if (isMoved) response.writeHead(302, { location: "/elsewhere" }).end();
        else if (request.url === "/elsewhere") response.end(readFileSync(join(release, archive)));
        return isMoved || request.url === "/elsewhere";
      },
    });
    const words = [file, "update", "--public-key", key, "--yes"];
    const settings = { AUTHSVC_UPDATES__URL: url };
    // Its certificate is not trusted.
    expect(await run(words, folder, settings)).toMatchObject({ code: 1 });
    expect(asked).toEqual([]);
    const trusted = { ...settings, NODE_EXTRA_CA_CERTS: join(tls, "cert.pem") };
    expect(await run([...words, "--to", "99.0.0"], folder, trusted)).toMatchObject({ code: 4 });
    expect(await run(words, folder, trusted)).toMatchObject({ code: 0 });
    expect(asked).toContain("/releases/latest/download/SHA256SUMS");
    expect(readFileSync(file)).toEqual(scriptOf(next));
  });

  test.each<[string, Parameters<typeof serveReleases>[2], string]>([
    [
      "http of another machine",
      { answer: (_, response) => Boolean(response.writeHead(302, { location: "http://203.0.113.1/x" }).end()) },
      "only https is allowed",
    ],
    [
      "redirects without end",
      { answer: ({ url }, response) => Boolean(response.writeHead(302, { location: `${url}x` }).end()) },
      "more than 5 redirects",
    ],
    [
      "a list without end",
      { answer: (_, response) => Boolean(response.end(Buffer.alloc(70_000, "0"))) },
      "it is larger than 65536 bytes",
    ],
    ["errors", { answer: (_, response) => Boolean(response.writeHead(503).end()) }, "status 503"],
  ])("Z4: %s: refused, and nothing is changed", async (_what, options, says) => {
    const { folder, file } = install();
    const { folder: release, key } = await makeRelease(join(emptyFolder(), "release"), { version: next });
    const { url } = await serveReleases(release, next, options);
    const refused = await run([file, "update", "--public-key", key, "--yes"], folder, { AUTHSVC_UPDATES__URL: url });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(says)]);
    expect(isOld(file)).toBe(true);
  });
});
