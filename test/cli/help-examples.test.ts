import { decodeProtectedHeader } from "jose";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";
import { allCommands, commandsOf, newProgram, parseLine } from "./program-commands.ts";

/**
 * Commands whose examples are run here, too. Those of the others need a server, the network or a
 * terminal, and have tests of their own.
 */
const executed = [
  "app",
  "client",
  "resource",
  "key",
  "user",
  "token",
  "signing-key",
  "audit",
  "config",
  "completion",
  "version",
];
const executedElsewhere = [
  "audit follow",
  "client check",
  "user import",
  "user export",
  "user remove-method",
  "user consents",
];

const commands = allCommands(newProgram());

type Example = { path: string; line: string };

function examplesOf({ path, command }: { path: string[]; command: Command }): Example[] {
  let text = "";
  command.configureOutput({ writeOut: (more) => (text += more) }).outputHelp();
  return [...text.matchAll(/^ {2}\$ (.*)$/gmu)].map(([, line = ""]) => ({ path: path.join(" "), line }));
}

const examples = commands.flatMap(examplesOf);

describe("the examples in the help", () => {
  test.each(commands.map(({ path, command }) => [path.join(" "), command] as const))(
    "'%s' has a description and two of them",
    (path, command) => {
      expect(command.description()).not.toBe("");
      expect(examples.filter((example) => example.path === path)).toHaveLength(2);
    },
  );

  test("are those of the command that they stand with, and know its flags and arguments", async () => {
    for (const { path, line } of examples) {
      const seen = await commandsOf(line);
      expect(
        seen.some((at) => `${at} `.startsWith(path === "" ? "" : `${path} `)),
        line,
      ).toBe(true);
    }
  });
});

describe("every example does what it says", () => {
  const prepared = emptyFolder();
  const files = {
    key: `pipeline-key.${"0123456789".repeat(3)}`,
    nightly: `nightly-secret.${"0123456789".repeat(3)}`,
    secret: "hush-hush",
    password: "correct horse battery",
  };
  const waiting = ["usr_ada", "usr_bob"];
  const env = { AUTHSVC_FORWARD_AUTH__LISTEN: "127.0.0.1:9091", AUTHSVC_TRUSTED_PROXIES: "127.0.0.1" };
  const placeholders: Record<string, string> = {
    "/run/secrets/key": "key.txt",
    "/run/secrets/nightly": "nightly.txt",
    "/etc/authsvc/config.yaml": "config.yaml",
  };

  beforeAll(async () => {
    const json = async (...args: string[]) => (await answer(args, { cwd: prepared })) as Record<string, string>;
    await json("app", "create", "--name", "Shop", "--id", "app_shop");
    // With an authenticator app and a sign-up that waits, which only an import can set up here.
    const user = {
      id: "usr_grace",
      email: "grace@example.com",
      password: { hash: "pbkdf2_sha1$1000$seasalt$FR1Hz/2XTwvhcvkmbwDDrzMsEnQ=" },
      totpSecret: "GEZDGNBVGY3TQOJQ",
    };
    const people = [
      user,
      ...waiting.map((id) => ({ id, email: `${id}@example.com`, emailVerified: true, state: "pending" })),
    ];
    await authsvc(["user", "import", "--app", "app_shop"], {
      cwd: prepared,
      input: people.map((line) => JSON.stringify(line)).join("\n"),
    });
    const other = await json("user", "create", "--app", "app_shop", "--email", "heinz@example.com");
    const key = await json("key", "create", "--app", "app_shop");
    await json("client", "create", "--app", "app_shop", "--name", "Grafana", "--id", "grafana");
    const proxy = ["--kind", "proxy", "--host", "files.example.com"];
    await json("client", "create", "--app", "app_shop", "--name", "Files", "--id", "files", ...proxy);
    await json("resource", "create", "--app", "app_shop", "--identifier", "https://api.example.com");
    const jobs = ["--identifier", "https://jobs.example.com"];
    await json("resource", "create", "--app", "app_shop", ...jobs);
    const machine = ["--name", "Nightly", "--kind", "machine", "--resource", "https://jobs.example.com"];
    await authsvc(["client", "create", "--app", "app_shop", "--id", "nightly", ...machine, "--secret-stdin"], {
      cwd: prepared,
      input: files.nightly,
    });
    await json("client", "block", "https://agent.example/client.json", "--yes");
    const secret = await json("client", "secret", "create", "grafana");
    const issuer = ["--issuer", "https://gitlab.com", "--subject", "project_path:acme/shop"];
    const credential = await json("client", "credential", "add", "nightly", ...issuer);
    const minted = await json("token", "mint", "--user", user.id);
    writeFileSync(join(prepared, "token.txt"), minted["accessToken"] ?? "");
    for (const [name, text] of Object.entries(files)) writeFileSync(join(prepared, `${name}.txt`), text);
    writeFileSync(join(prepared, "google.txt"), files.secret);
    writeFileSync(join(prepared, "config.yaml"), "log:\n  level: info\n");
    await authsvc(
      ["app", "provider", "set", "app_shop", "facebook", "--client-id", "x", "--client-secret-file", "secret.txt"],
      { cwd: prepared },
    );
    Object.assign(placeholders, {
      "usr_01k…": user.id,
      "usr_01m…": other.id,
      "key_01k…": key["id"],
      "sec_01k…": secret["id"],
      "crd_01k…": credential["id"],
      "lgn_01k…": minted["loginId"],
      "eyJhbGciOi…": minted["accessToken"],
      "Zx3…": decodeProtectedHeader(minted["accessToken"] ?? "").kid ?? "",
    });
  });

  const known = examples.filter(
    ({ path, line }) =>
      executed.includes(path.split(" ")[0] ?? "") &&
      !executedElsewhere.includes(path) &&
      // A provider of one's own is asked for its endpoints.
      !line.includes("--issuer"),
  );

  test.each(known.map(({ line }) => line))("%s", async (line) => {
    const cwd = emptyFolder();
    cpSync(prepared, cwd, { recursive: true });
    const [{ args, input } = { args: [], input: undefined }] = parseLine(line);
    const text = input === undefined ? "" : readFileSync(join(cwd, input), "utf8");
    const decides = /\buser (approve|refuse)\b/u.test(line);
    const meant: Record<string, string | undefined> = decides
      ? { "usr_01k…": waiting[0], "usr_01m…": waiting[1] }
      : placeholders;
    const words = args.map((word) => meant[word] ?? word);
    // A person would be asked.
    const yes = /\b(delete|remove|refuse)\b/u.test(line) && !/--dry-run|--yes/u.test(line) ? ["--yes"] : [];
    const finished = await authsvc([...words, ...yes], { cwd, env, input: text });
    expect(finished).toMatchObject({ code: 0 });
    expect(finished.stderr).not.toContain("authsvc:");
    if (args.includes("--json")) expect(() => JSON.parse(finished.stdout) as unknown).not.toThrow();
  });
});
