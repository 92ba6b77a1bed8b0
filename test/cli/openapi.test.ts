import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { openApiDocument } from "../support/routes.ts";
import { emptyFolder } from "./command.ts";
import { authsvc } from "./in-process.ts";

it("openapi prints the document with the address of the configuration, and needs no database", async () => {
  const cwd = emptyFolder();
  const env = { AUTHSVC_BASE_URL: "https://auth.example.com", AUTHSVC_TRUSTED_PROXIES: "127.0.0.1" };
  for (const flags of [[], ["--json"]]) {
    const { code, stdout, stderr } = await authsvc(["openapi", ...flags], { cwd, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(openApiDocument("https://auth.example.com"))));
  }
  expect(readdirSync(cwd)).toEqual([]);
});
