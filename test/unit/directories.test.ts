import { expect, it } from "vitest";
import { directoryOf, knownDirectory } from "../../src/applications/providers/provider.ts";

it.each<[provider: string, issuer: string | null, userinfoUrl: string | null, directory: string]>([
  ["google", "https://google.test/", null, "https://google.test"],
  ["microsoft", "https://login.test/{tenantid}/v2.0", null, "https://login.test/{tenantid}/v2.0"],
  ["github", null, "https://GitHub.Corp.example:443/api/v3/user", "github.corp.example"],
  ["discord", null, "http://127.0.0.1:8080?user=1", "127.0.0.1:8080"],
  ["facebook", null, null, "graph.facebook.com"],
  ["corp", "https://id.example/realms/shop", "https://elsewhere.example/me", "https://id.example/realms/shop"],
  ["corp", null, null, ""],
])("the directory of %s with issuer %s and user endpoint %s is %j", (name, issuer, userinfoUrl, directory) => {
  expect(directoryOf({ name, issuer, userinfoUrl })).toBe(directory);
});

it("a provider of the table has the same directory with and without settings of the application", () => {
  for (const name of ["google", "microsoft", "apple", "github", "discord", "facebook", "corp"])
    expect(knownDirectory(name)).toBe(directoryOf({ name }));
});
