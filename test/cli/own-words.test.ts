import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, it } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

const texts = [
  { place: "sign-in.title", text: { en: "Welcome to {app}", de: "Willkommen bei {app}" } },
  { place: "footer.link", text: { en: "Imprint" }, url: "https://shop.example/imprint" },
];

describeEachPlace("an application's own words", (place) => {
  const run = async (...args: string[]) => await authsvc(args, place);
  const update = async (value: unknown, ...more: string[]) =>
    await run("app", "update", "app_shop", "--texts", value === "" ? "" : JSON.stringify(value), ...more);

  beforeAll(async () => await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], place));

  it("are set by a command, which names the text that it refuses", async () => {
    expect((await update(texts, "--dry-run")).code).toBe(0);
    expect((await run("app", "show", "app_shop")).stdout).not.toContain("sign-in.title");
    expect((await update(texts)).code).toBe(0);
    expect((await run("app", "show", "app_shop")).stdout).toContain("sign-in.title (de, en), footer.link (en)");
    const refused = await update([texts[1], { place: "mail.verify.intro", text: { en: "Dear {email}" } }]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("--texts is refused: mail.verify.intro (en): no '{' or '}' except in {app}"),
    ]);
    expect((await update({ place: "x" })).code).toBe(2);
  });

  it("are in a state file, which brings them back, and in the audit log by their places", async () => {
    const { stdout: file } = await run("export");
    expect(file).toContain("texts:\n      - place: sign-in.title\n        text:\n          de: Willkommen bei {app}\n");
    expect((await update("")).code).toBe(0);
    expect((await run("export")).stdout).toContain("    texts: null\n");
    writeFileSync(path.join(place.cwd, "state.yaml"), file);
    expect((await run("apply", "state.yaml", "--yes")).code).toBe(0);
    expect((await run("export")).stdout).toBe(file);
    const { stdout: log } = await run("audit", "list", "--action", "application.update", "--json");
    expect(log).toContain("footer.link (en)");
    expect(log).not.toContain("Willkommen");
  });
});
