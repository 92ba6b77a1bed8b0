import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

describe("related origins", () => {
  const cwd = emptyFolder();
  const at = (baseUrl: string) => ({ cwd, env: { AUTHSVC_BASE_URL: baseUrl, AUTHSVC_TRUSTED_PROXIES: "127.0.0.1" } });
  const place = at("https://auth.elsewhere.test");
  const list = "https://shop.test,https://shop.co.uk";
  const content = { origins: ["https://auth.elsewhere.test", "https://shop.test", "https://shop.co.uk"] };

  test("are set by a flag, and app show prints the file where another program serves the domain", async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop", "--domain", "shop.example"], place);
    const set = ["app", "update", "app_shop", "--related-origins", list];
    const refused = await authsvc(set, place);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("--related-origins is only with a domain");
    expect((await authsvc([...set, "--relying-party-id", "shop.example"], place)).code).toBe(0);
    const { stdout } = await authsvc(["app", "show", "app_shop"], place);
    expect(stdout).toContain(
      `Serve this as application/json at https://shop.example/.well-known/webauthn:\n${JSON.stringify(content)}\n`,
    );
    expect(await answer(["app", "show", "app_shop"], place)).toMatchObject({
      settings: { relatedOrigins: content.origins.slice(1) },
      relatedOriginsFile: { url: "https://shop.example/.well-known/webauthn", content },
    });
    // Below the domain, the service's address needs no mention; at it, the service serves the file.
    const below = await answer(["app", "show", "app_shop"], at("https://auth.shop.example"));
    expect(below).toMatchObject({ relatedOriginsFile: { content: { origins: content.origins.slice(1) } } });
    const own = await answer(["app", "show", "app_shop"], at("https://shop.example"));
    expect(own).not.toHaveProperty("relatedOriginsFile");
  });

  test("are in a state file, where no second application can take the domain", async () => {
    const state = (await answer(["export"], place)) as { applications: { id: string }[] };
    expect(state.applications[0]).toMatchObject({
      relyingPartyId: "shop.example",
      passkeys: { relatedOrigins: content.origins.slice(1) },
    });
    const file = join(cwd, "state.json");
    const planOf = async (applications: object[]) => {
      writeFileSync(file, JSON.stringify({ ...state, applications }));
      return await authsvc(["plan", file, "--json"], place);
    };
    expect((await planOf(state.applications)).code).toBe(0);
    const other = { id: "app_other", name: "Other", domain: "shop.example" };
    const refused = await planOf([...state.applications, other]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(": domain: not that of app_shop");
    const moved = [{ id: "app_shop", domain: null, relyingPartyId: null, passkeys: { relatedOrigins: null } }, other];
    expect((await planOf(moved)).stderr).toBe("");
  });

  test("go with an empty list", async () => {
    expect((await authsvc(["app", "update", "app_shop", "--related-origins", ""], place)).code).toBe(0);
    const { stdout } = await authsvc(["app", "show", "app_shop"], place);
    expect(stdout).not.toContain("webauthn");
  });
});
