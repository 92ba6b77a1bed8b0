import { beforeAll, expect, it } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

type Json = Record<string, unknown>;

describeEachPlace("organization domain", (place) => {
  const run = async (...args: string[]) =>
    await authsvc(["organization", "domain", ...args, "--app", "app_shop"], place);
  const json = async (...args: string[]) =>
    (await answer(["organization", "domain", ...args, "--app", "app_shop"], place)) as Json;

  beforeAll(async () => {
    for (const args of [
      ["app", "create", "--name", "Shop", "--id", "app_shop"],
      ["app", "update", "app_shop", "--organizations", "on"],
    ])
      await answer(args, place);
    const user = (await answer(["user", "create", "--app", "app_shop", "--email", "ada@example.com"], place)) as Json;
    for (const name of ["Acme", "Best"])
      await answer(["organization", "create", name, "--app", "app_shop", "--owner", String(user["id"])], place);
  });

  it("add, check and remove go through the life of a claim", async () => {
    expect(await json("add", "acme", "acme.example", "--dry-run")).toMatchObject({ state: "pending", dryRun: true });
    const added = await run("add", "acme", "Acme.Example");
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining("_authsvc-challenge.acme.example") });
    expect(await json("add", "acme", "acme.example", "--join", "ask")).toMatchObject({ state: "pending", join: "ask" });
    expect(await run("remove", "acme", "acme.example")).toMatchObject({ code: 2 });
    expect(await json("remove", "acme", "acme.example", "--yes")).toMatchObject({ domain: "acme.example" });
    expect(await run("check", "acme", "acme.example")).toMatchObject({ code: 3 });
  });

  it("add --proved needs no record, and takes no domain from another organization", async () => {
    const proved = await json("add", "acme", "held.example", "--proved", "--join", "on");
    expect(proved).toMatchObject({ state: "proved", join: "on", record: null });
    expect(await run("add", "best", "held.example", "--proved")).toMatchObject({ code: 4 });
    expect(await json("add", "best", "held.example")).toMatchObject({ state: "pending" });
  });

  it("names what is wrong", async () => {
    const suffix = await run("add", "acme", "co.uk");
    expect([suffix.code, suffix.stderr]).toEqual([2, expect.stringContaining("DOMAIN must be a domain of its own")]);
    expect(await run("add", "nobody", "acme.example")).toMatchObject({ code: 3 });
    expect(await run("add", "acme", "acme.example", "--join", "all")).toMatchObject({ code: 2 });
  });
});
