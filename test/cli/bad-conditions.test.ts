import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { testMasterKey } from "../support/service.ts";
import { authsvc as startProcess, emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

describe("serve that cannot start, and a command, say why in one line, with an exit code, and change nothing", () => {
  let cwd = "";
  beforeEach(async () => {
    cwd = emptyFolder();
    await answer(["app", "create", "--name", "Shop"], { cwd });
  });

  const database = (): string => join(cwd, "data/authsvc.db");
  const cases: [what: string, prepare: () => Promise<Record<string, string>>, line: RegExp, code: number][] = [
    [
      "wrong master key",
      async () => ({ AUTHSVC_MASTER_KEY: testMasterKey }),
      /The master key does not belong to this database/u,
      2,
    ],
    [
      "database of a newer program",
      async () => {
        const open = new Database(database());
        open.prepare("INSERT INTO migrations VALUES ('9999_future', 'x', 0, '1.9.0')").run();
        open.close();
        return {};
      },
      /The database is newer than this program: authsvc 1\.9\.0 migrated it \(9999_future\).* authsvc db restore FILE --yes/u,
      1,
    ],
    [
      "file that is no database",
      async () => {
        writeFileSync(database(), "this is text, and long enough to be read as a header of a database file");
        return {};
      },
      /The database \S*authsvc\.db cannot be opened: file is not a database/u,
      1,
    ],
    [
      "database whose pages are damaged",
      async () => {
        const bytes = readFileSync(database());
        writeFileSync(database(), bytes.fill(0xa5, 4096));
        return {};
      },
      /The database \S*authsvc\.db cannot be opened: database disk image is malformed\. Restore a backup: /u,
      1,
    ],
    [
      "data folder that is a file",
      async () => ({ AUTHSVC_DATA: join(cwd, "data/authsvc.db/below") }),
      /The folder \S*authsvc\.db\S* (?:is not a folder|cannot be created)/u,
      1,
    ],
    [
      "misspelt setting",
      async () => ({ AUTHSVC_LISTEN__PROT: "80" }),
      /AUTHSVC_LISTEN__PROT .*did you mean AUTHSVC_LISTEN__PORT\?/u,
      2,
    ],
    [
      "PostgreSQL that is not there",
      async () => ({ AUTHSVC_DATABASE__URL: "postgres://u:hush@127.0.0.1:1/x", AUTHSVC_MASTER_KEY: testMasterKey }),
      /^authsvc: The PostgreSQL database is not usable: (?!.*hush)/u,
      1,
    ],
    [
      "metrics on the port that everybody can reach",
      async () => ({ AUTHSVC_METRICS__PORT: "8080", AUTHSVC_LISTEN__PORT: "8080" }),
      /AUTHSVC_METRICS__PORT must differ from listen\.port/u,
      2,
    ],
  ];

  test.each(cases)("%s", async (what, prepare, line, code) => {
    const env = await prepare();
    const before = contentOf(cwd);
    // A damaged database keeps its log beside it until its process ends.
    const run = what.includes("damaged") ? startProcess : authsvc;
    for (const command of what.includes("damaged") ? [["serve"]] : [["serve"], ["signing-key", "list"]]) {
      const failed = await run(command, { cwd, env: { AUTHSVC_LISTEN__PORT: "0", ...env } });
      // Without the warning of the cheap hashes of these tests.
      const complaint = failed.stderr.replaceAll(/^\{"level":"warn".*\n/gmu, "");
      expect(complaint).toMatch(line);
      expect(complaint).toMatch(/^authsvc: [^\n]*\n$/u);
      expect(failed).toMatchObject({ code, stdout: "" });
      expect(contentOf(cwd)).toEqual(before);
    }
  });

  test.each<[name: string, args: string[], env: Record<string, string>, file?: string]>([
    ["--port", ["--port", "PORT"], {}, "listen: { port: 1 }"],
    ["AUTHSVC_LISTEN__PORT", [], { AUTHSVC_LISTEN__PORT: "PORT" }],
    ["config.yaml line 2, column 3: listen.port", [], {}, "listen:\n  port: PORT"],
    ["AUTHSVC_METRICS__PORT", [], { AUTHSVC_LISTEN__PORT: "0", AUTHSVC_METRICS__PORT: "PORT" }],
  ])("a taken port, by the name of its setting (%s), before any database is made", async (name, args, env, file) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    rmSync(join(cwd, "data"), { recursive: true });
    const filled = (text: string) => text.replace("PORT", String(port));
    const config = join(cwd, "config.yaml");
    if (file !== undefined) writeFileSync(config, filled(file));
    const failed = await authsvc(["serve", ...args.map(filled)], {
      cwd,
      env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, filled(value)])),
    });
    other.close();
    rmSync(config, { force: true });
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toMatch(
      new RegExp(`^authsvc: ${name}: port ${port} on 127\\.0\\.0\\.1 is in use by another program; [^\\n]*\\n$`, "u"),
    );
    expect(existsSync(join(cwd, "data"))).toBe(false);
  });
});

/** Every file below, with what is in it. */
function contentOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return `${file} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
    })
    .toSorted();
}

test.skipIf(process.platform === "win32")(
  "a file without an end is refused, and the error names what gave it",
  async () => {
    const cwd = emptyFolder();
    await authsvc(["app", "create", "--id", "app_shop", "--name", "Shop"], { cwd });
    const provider = ["app", "provider", "set", "app_shop"];
    const user = ["user", "create", "--app", "app_shop", "--email", "a@example.com"];
    const endless: [args: string[], said: string, env?: Record<string, string>][] = [
      [["apply", "/dev/zero"], "FILE: the file /dev/zero is larger than 16384 KiB"],
      [["plan", "/dev/zero"], "FILE: the file /dev/zero is larger than 16384 KiB"],
      [["user", "import", "/dev/zero", "--app", "app_shop"], "FILE: line 1 is longer than 64 MiB"],
      [["app", "list", "--config", "/dev/zero"], "--config: the file /dev/zero is larger than 1024 KiB"],
      [[...user, "--password-file", "/dev/zero"], "--password-file: the file is larger than 64 KiB"],
      [
        [...provider, "github", "--client-id", "x", "--client-secret-file", "/dev/zero"],
        "--client-secret-file: the file",
      ],
      [["client", "update", "cli_x", "--jwks-file", "/dev/zero"], "--jwks-file: the file is larger than 64 KiB"],
      [["app", "list"], "AUTHSVC_MASTER_KEY_FILE: the file", { AUTHSVC_MASTER_KEY_FILE: "/dev/zero" }],
      [
        ["serve"],
        "the file /dev/zero is larger than 1024 KiB",
        {
          AUTHSVC_BASE_URL: "https://id.example.com",
          AUTHSVC_LISTEN__TLS__CERT_FILE: "/dev/zero",
          AUTHSVC_LISTEN__TLS__KEY_FILE: "/dev/zero",
        },
      ],
    ];
    for (const [args, said, env = {}] of endless) {
      const { code, stderr } = await authsvc(args, { cwd, env });
      expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining(said)]);
    }
    expect((await authsvc(["plan", "-"], { cwd, input: "#".repeat(17_000_000) })).stderr).toContain(
      "FILE: more than 16777216",
    );
  },
);
