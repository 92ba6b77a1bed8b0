import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

const api = "https://api.example.com";

describeEachPlace("attack1: commands about clients with resources", (place) => {
  const json = async (args: string[], input = "") =>
    (await answer(args, { ...place, input })) as Record<string, unknown>;
  const shown = async (id: string) =>
    (await json(["client", "show", id])) as { resourceScopes: unknown; scopes: unknown };

  beforeAll(async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], place);
    await json([
      "resource",
      "create",
      "--app",
      "app_shop",
      "--identifier",
      api,
      "--scope",
      "read=Read",
      "admin=Everything",
    ]);
  });

  it("F1: taking a scope of people away gives no scope of a resource", async () => {
    const made = ["client", "create", "--app", "app_shop", "--id", "web", "--name", "Web", "--resource", api];
    await json([...made, "--redirect-uri", "https://web.example/cb", "--scope", "openid", "email", "read"]);
    expect((await shown("web")).resourceScopes).toEqual(["read"]);
    await json(["client", "update", "web", "--scope", "openid"]);
    expect((await shown("web")).scopes).toEqual(["openid"]);
    expect((await shown("web")).resourceScopes).not.toBeNull();
  });

  it("F7: an export says that a client has no resource, so that apply takes it away elsewhere", async () => {
    const made = ["client", "create", "--app", "app_shop", "--id", "job", "--name", "Job", "--kind", "machine"];
    await json(made);
    const { stdout } = await authsvc(["export"], place);
    await json(["client", "update", "job", "--resource", api]);
    await authsvc(["apply", "-", "--yes"], { ...place, input: stdout });
    expect((await json(["client", "show", "job"]))["resources"]).toEqual([]);
  });

  it("F8: no user has the id of a machine, which is the sub of its tokens", async () => {
    await json(["client", "create", "--app", "app_shop", "--id", "reporter", "--name", "R", "--kind", "machine"]);
    const file = join(mkdtempSync(join(tmpdir(), "attack1-")), "users.jsonl");
    writeFileSync(file, `${JSON.stringify({ id: "reporter", email: "r@example.org" })}\n`);
    await authsvc(["user", "import", file, "--app", "app_shop", "--yes"], place);
    expect((await authsvc(["user", "show", "reporter"], place)).code).toBe(3);
    // The other way round.
    writeFileSync(file, `${JSON.stringify({ id: "deploy", email: "d@example.org" })}\n`);
    await authsvc(["user", "import", file, "--app", "app_shop", "--yes"], place);
    const made = ["client", "create", "--app", "app_shop", "--id", "deploy", "--name", "D", "--kind", "machine"];
    expect((await authsvc(made, place)).code).toBe(4);
  });
});
