import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readStateFile, stateFileText } from "../../src/upkeep/desired-state/state-file.ts";

const folder = mkdtempSync(join(tmpdir(), "authsvc-state-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, "secrets"));
writeFileSync(join(folder, "secrets/github"), "hunter2-hunter2\n");
writeFileSync(join(folder, "secrets/empty"), "\n");

const env = { SHOP_API_KEY: "pipeline-key.0123456789-ABCDEFGHIJ", EMPTY: "" };
const file = `version: 1
applications:
  - id: app_shop
    name: My shop
    redirectUris: [https://shop.example/cb]
    apiKeys: [{ value: env:SHOP_API_KEY }]
    providers:
      - { name: github, clientId: Iv1, clientSecret: "file:secrets/github" }
`;

const read = (text: string, more: { secretsDir?: string; protectedPaths?: string[] } = {}) =>
  readStateFile(text, { name: "a.yaml", folder, env, protectedPaths: [], ...more });

test("secrets come from the environment, and from files that stand where the file itself stands", () => {
  const { state, where } = read(file);
  expect(state.applications?.[0]).toMatchObject({
    apiKeys: [{ value: env.SHOP_API_KEY }],
    providers: [{ clientSecret: "hunter2-hunter2" }],
  });
  expect(where(["applications", 0, "redirectUris", 0])).toBe("a.yaml line 5, column 20");
  expect(where(["applications", 0, "redirectUris", 7])).toBe("a.yaml line 5, column 5");
  expect(where(["applications", 0, "branding", "logo"])).toBe("a.yaml line 3, column 5");
});

const refused: [why: string, text: string, line: string][] = [
  [
    "an unknown key",
    file.replace("name: My", "nmae: My"),
    "a.yaml line 4, column 5: nmae is not a known key; did you mean name?",
  ],
  [
    "an unknown key in a group",
    `${file}    authMethods: { passkey: { enabld: true } }\n`,
    "a.yaml line 9, column 31: enabld is not a known key; did you mean enabled?",
  ],
  ["a missing version", file.replace("version: 1\n", ""), "a.yaml line 1, column 1: version is missing"],
  ["a missing id", file.replace("id: app_shop", "domain: a.example"), "a.yaml line 3, column 5: id is missing"],
  [
    "a wrong type",
    file.replace("[https://shop.example/cb]", "hunter2"),
    "a.yaml line 5, column 5: redirectUris must be a list of strings",
  ],
  [
    "a secret in the file itself",
    file.replace("env:SHOP_API_KEY", env.SHOP_API_KEY),
    "a.yaml line 6, column 17: value must be env:NAME or file:PATH, not the secret itself",
  ],
  [
    "a variable that is not set",
    file.replace("env:SHOP_API_KEY", "env:NOWHERE"),
    "a.yaml line 6, column 17: value: the variable NOWHERE is not set",
  ],
  [
    "an empty variable",
    file.replace("env:SHOP_API_KEY", "env:EMPTY"),
    "a.yaml line 6, column 17: value: the variable EMPTY is not set",
  ],
  [
    "a file that is not there",
    file.replace("secrets/github", "secrets/none"),
    `a.yaml line 8, column 40: clientSecret: the file ${join(folder, "secrets/none")} does not exist`,
  ],
  [
    "an empty file",
    file.replace("secrets/github", "secrets/empty"),
    "a.yaml line 8, column 40: clientSecret: the file is empty",
  ],
  ["an application twice", `${file}  - id: app_shop\n`, "a.yaml line 9, column 5: id: given twice"],
  [
    "a provider twice",
    `${file}      - { name: GitHub, clientId: Iv2 }\n`,
    "a.yaml line 9, column 11: name: given twice",
  ],
  ["a key twice", `${file}    name: My other shop\n`, "a.yaml line 9, column 5: this key appears twice"],
  [
    "no YAML",
    file.replace("\n    name", "\n   name"),
    "a.yaml line 4, column 1: a quote, a bracket, a colon or the hyphen of a list is missing",
  ],
  ["a list", "- a\n", "a.yaml line 1, column 1: the file must be a group of keys"],
];
test.each(refused)("refuses %s by line and column, without a value", (_, text, line) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG", message: line }) as Error);
  expect(line).not.toMatch(/hunter2|pipeline-key/);
});

test("what is written is read as the same", () => {
  const state = {
    version: 1 as const,
    applications: [
      {
        id: "1e3",
        name: "yes: #1",
        domain: null,
        branding: { primaryColor: "#336699" },
        redirectUris: [],
        rateLimits: { webhooks: 5 },
      },
    ],
  };
  expect(read(stateFileText(state)).state).toEqual(state);
});

const reference = (to: string): string => file.replace("env:SHOP_API_KEY", to).replace("file:secrets/github", to);
const keyOf = (to: string, more?: Parameters<typeof read>[1]) =>
  read(reference(to), more).state.applications?.[0]?.apiKeys?.[0]?.value;

test("variables that configure authsvc itself are no secrets of an application", () => {
  for (const name of ["AUTHSVC_MASTER_KEY", "AUTHSVC_DATABASE__URL", "authsvc_x"])
    expect(() => keyOf(`env:${name}`)).toThrow(`${name} configures authsvc itself`);
});

test("a file reference leads below the folder of the file or --secrets-dir, whatever symbolic links say", () => {
  const outside = mkdtempSync(join(tmpdir(), "authsvc-state-"));
  writeFileSync(join(outside, "key"), "outside-outside");
  symlinkSync(join(outside, "key"), join(folder, "link"));
  symlinkSync(outside, join(folder, "linked"));
  const ways = [join(outside, "key"), `../${outside.split("/").at(-1)}/key`, "link", "linked/key", "/etc/hostname"];
  for (const way of ways) expect(() => keyOf(`file:${way}`)).toThrow("allow its folder with --secrets-dir");
  for (const way of ways.slice(0, 4)) expect(keyOf(`file:${way}`, { secretsDir: outside })).toBe("outside-outside");
  symlinkSync("secrets/github", join(folder, "within"));
  expect(keyOf("file:within")).toBe("hunter2-hunter2");
  rmSync(outside, { recursive: true });
});

test("the data folder and the files of the configuration are read by no reference, by whatever name", () => {
  mkdirSync(join(folder, "data"));
  for (const name of ["data/master.key", "smtp-url"]) writeFileSync(join(folder, name), "own-secret");
  symlinkSync("data/master.key", join(folder, "soft"));
  linkSync(join(folder, "data/master.key"), join(folder, "hard"));
  linkSync(join(folder, "smtp-url"), join(folder, "hard-url"));
  const protectedPaths = [join(folder, "data"), join(folder, "smtp-url"), join(folder, "nowhere")];
  for (const name of ["data/master.key", "soft", "hard", "smtp-url", "hard-url"])
    expect(() => keyOf(`file:${name}`, { protectedPaths })).toThrow("belongs to authsvc itself");
});

test.skipIf(process.platform === "win32")(
  "a file reference is a regular file of at most 64 KiB, and never waited for",
  () => {
    execFileSync("mkfifo", [join(folder, "pipe")]);
    expect(() => keyOf("file:pipe")).toThrow("is not a regular file");
    expect(() => keyOf("file:/dev/zero", { secretsDir: "/dev" })).toThrow("is not a regular file");
    expect(() => keyOf("file:secrets")).toThrow("is not a regular file");
    writeFileSync(join(folder, "large"), "x".repeat(65_536));
    expect(keyOf("file:large")).toHaveLength(65_536);
    writeFileSync(join(folder, "large"), "x".repeat(65_537));
    expect(() => keyOf("file:large")).toThrow("larger than 64 KiB");
  },
);
