import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, it } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

type Json = Record<string, unknown>;

const label = { en: "Your team" };
const team = { name: "te_m", type: "text", label, askAt: "nextSignIn", required: true };
const adult = { name: "adult", type: "checkbox", label: { en: "Adult" }, askAt: "nextSignIn", required: true };

describeEachPlace("profile fields and terms", (place) => {
  const run = async (...args: string[]) => await authsvc(args, place);
  const json = async (...args: string[]) => (await answer(args, place)) as Json;
  const show = async (id: string) => await json("user", "show", id);
  const ids: string[] = [];

  beforeAll(async () => {
    await json("app", "create", "--name", "Shop", "--id", "app_shop");
    for (const name of ["ada", "bob", "eve"])
      ids.push(String((await json("user", "create", "--app", "app_shop", "--email", `${name}@example.com`))["id"]));
    await run("user", "disable", "eve@example.com");
  });

  const update = async (...args: string[]) => await run("app", "update", "app_shop", ...args);

  it("the command that turns a step on says how many people it stops", async () => {
    const terms = ["--terms-version", "1", "--terms-to-accept", "https://shop.example/terms"];
    for (const more of [["--dry-run"], []])
      expect((await update(...terms, ...more)).stderr).toContain("2 people must accept the terms at the next sign-in.");
    expect((await update("--terms-required", "off")).stderr).not.toContain("must accept");
    const fields = JSON.stringify([team, adult]);
    expect((await update("--profile-fields", fields)).stderr).toContain(
      "2 people must complete the profile at the next sign-in.",
    );
    await run("user", "update", "ada@example.com", "--field", "te_m=Blue", "--field", "adult=yes");
    await run("user", "update", "bob@example.com", "--field", "te_m=x", "--field", "adult=no");
    expect((await update("--profile-fields", fields)).stderr).toContain("1 person must complete the profile");
    expect((await run("app", "show", "app_shop")).stdout).toContain("te_m (text), adult (checkbox)");
    expect((await update("--second-factor", "required", "--dry-run")).stderr).toContain(
      "2 people must set up a second factor at the next sign-in, and nothing is refreshed before.",
    );
    expect((await update("--second-factor", "optional")).stderr).toBe("");
  });

  it("user update and create set values, and name the field of a refusal", async () => {
    const [ada = ""] = ids;
    expect(await show(ada)).toMatchObject({ profile: { te_m: "Blue", adult: true } });
    const bad = await run("user", "update", ada, "--field", "adult=maybe");
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining("--field adult is refused: true or false")]);
    const unknown = await run("user", "update", ada, "--field", "nobody=1");
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("--field nobody")]);
    expect((await run("user", "update", ada, "--field", "te_m")).code).toBe(2);
    const made = ["user", "create", "--app", "app_shop", "--email", "new@example.com", "--field", "te_m=Green"];
    expect(await show(String((await json(...made))["id"]))).toMatchObject({ profile: { te_m: "Green" } });
    await run("user", "update", ada, "--field", "te_m=");
    expect(await show(ada)).toMatchObject({ profile: { adult: true } });
  });

  it("a removed field keeps its values until they are forgotten", async () => {
    const [, bob = ""] = ids;
    const kept = await update("--forget-field", "te_m");
    expect([kept.code, kept.stderr]).toEqual([2, expect.stringContaining("still a profile field")]);
    await update("--profile-fields", JSON.stringify([{ ...adult, name: "teXm" }]));
    expect(await show(bob)).not.toHaveProperty("profile");
    await update("--profile-fields", JSON.stringify([team]));
    expect(await show(bob)).toMatchObject({ profile: { te_m: "x" } });
    await update("--profile-fields", "");
    expect((await update("--forget-field", "te_m", "--dry-run")).stderr).toContain(
      "2 values of te_m would be deleted.",
    );
    expect((await update("--forget-field", "te_m")).stderr).toContain("2 values of te_m were deleted.");
    await update("--profile-fields", JSON.stringify([team, adult]));
    expect(await show(bob)).toMatchObject({ profile: { adult: false } });
    expect((await show(bob))["profile"]).not.toHaveProperty("te_m");
  });

  it("a state file has them, and brings them back", async () => {
    const { stdout: file } = await run("export");
    expect(file).toContain("profileFields:\n      - name: te_m");
    expect(file).toMatch(/terms:\n\s+version: "1"\n\s+url: https:\/\/shop.example\/terms\n\s+required: false/u);
    await update("--profile-fields", "", "--terms-version", "", "--terms-to-accept", "", "--terms-required", "on");
    expect((await run("export")).stdout).toMatch(/profileFields: null\n\s+terms:\n\s+version: null/u);
    writeFileSync(path.join(place.cwd, "state.yaml"), file);
    const stopped = expect.stringMatching(/^app_shop: \d people must complete the profile at the next sign-in\.$/mu);
    expect((await run("plan", "state.yaml")).stderr).toEqual(stopped);
    expect(await run("apply", "state.yaml", "--yes")).toMatchObject({ code: 0, stderr: stopped });
    expect((await run("export")).stdout).toBe(file);
  });

  it("user terms lists nothing for somebody who has not answered", async () => {
    expect(await answer(["user", "terms", "ada@example.com"], place)).toEqual([]);
    expect((await run("user", "terms", "usr_nobody")).code).toBe(3);
  });
});
