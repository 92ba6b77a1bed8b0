import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readStateFile, stateFileText } from "../../src/config/state-file.ts";

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

const read = (text: string) => readStateFile(text, { name: "a.yaml", folder, env });

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
    "a.yaml line 4, column 5: nmae is not known here; did you mean name?",
  ],
  [
    "an unknown key in a group",
    `${file}    authMethods: { passkey: { enabld: true } }\n`,
    "a.yaml line 9, column 31: enabld is not known here; did you mean enabled?",
  ],
  ["a missing version", file.replace("version: 1\n", ""), "a.yaml line 1, column 1: version is missing"],
  ["a missing id", file.replace("id: app_shop", "domain: a.example"), "a.yaml line 3, column 5: id is missing"],
  [
    "a wrong type",
    file.replace("[https://shop.example/cb]", "hunter2"),
    "a.yaml line 5, column 5: redirectUris must be a list of texts",
  ],
  [
    "a secret in the file itself",
    file.replace("env:SHOP_API_KEY", env.SHOP_API_KEY),
    "a.yaml line 6, column 17: value must be env:NAME or file:PATH: the secret itself does not belong in this file",
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
  ["an application twice", `${file}  - id: app_shop\n`, "a.yaml line 9, column 5: id: the same is given twice"],
  [
    "a provider twice",
    `${file}      - { name: GitHub, clientId: Iv2 }\n`,
    "a.yaml line 9, column 11: name: the same is given twice",
  ],
  ["a key twice", `${file}    name: My other shop\n`, "a.yaml line 9, column 5: this key is given twice"],
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
