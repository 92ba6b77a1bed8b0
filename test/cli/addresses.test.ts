import { beforeAll, expect, test } from "vitest";
import { refusedAddresses } from "../support/addresses.ts";
import { sampled } from "../support/long-run.ts";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

describeEachPlace("commands bring an address into its one form", (place) => {
  const json = async (args: string[], input = ""): Promise<unknown> => await answer(args, { ...place, input });
  const run = async (args: string[], input = "") => await authsvc(args, { ...place, input });

  beforeAll(async () => {
    await json(["app", "create", "--name", "Shop", "--id", "app_shop"]);
  });

  test("an account is created, invited, changed and found in any spelling", async () => {
    const stored = "o'brien@xn--bcher-kva.example";
    const created = await json(["user", "create", "--app", "app_shop", "--email", "O'Brien@BÜCHER.example"]);
    const { id } = created as { id: string };
    expect(created).toMatchObject({ email: stored });
    for (const spelling of [stored, "o'brien@bücher.example"]) {
      expect(await json(["user", "show", "--email", spelling])).toMatchObject({ id });
      expect(await json(["user", "list", "--app", "app_shop", "--email", spelling])).toMatchObject([{ id }]);
    }
    const changed = await json(["user", "update", id, "--email", "R&D@例え.example"]);
    expect(changed).toMatchObject({ email: "r&d@xn--r8jz45g.example" });
    const invited = ["user", "invite", "--app", "app_shop", "--email", "ada@例え.テスト", "--link"];
    expect(await json(invited)).toMatchObject({ email: "ada@xn--r8jz45g.xn--zckzah" });
    place.env["AUTHSVC_CONSOLE__LISTEN"] = "127.0.0.1:9090";
    place.env["AUTHSVC_CONSOLE__BASE_URL"] = "https://console.example.com";
    const operator = ["operator", "invite", "--email", "op@bücher.example", "--role", "owner", "--link"];
    expect(await json(operator)).toMatchObject({ email: "op@xn--bcher-kva.example" });
    expect(await json(["operator", "update", "op@bücher.example", "--role", "owner"])).toMatchObject({ role: "owner" });
  });

  test("an import stores one form, and says the rule of what it refuses", async () => {
    const addresses = ["ada@bücher.example", "o'leary@example.org", "jürgen@example.org", "ada@host.1"];
    const lines = addresses.map((email) => JSON.stringify({ email })).join("\n");
    const { code, stderr } = await run(["user", "import", "--app", "app_shop"], `${lines}\n`);
    expect(code).toBe(4);
    expect(stderr).toContain("line 3: email: an address with ASCII characters before the @");
    expect(stderr).toContain("line 4: email: an address whose domain does not end in a number");
    expect(await json(["user", "show", "--email", "ada@xn--bcher-kva.example"])).toMatchObject({
      emailVerified: false,
    });
  });

  test("a refused address is named by its option and rule", async () => {
    for (const { address, unsupported } of sampled(refusedAddresses, 10)) {
      for (const command of [["create", "--app", "app_shop"], ["show"], ["list", "--app", "app_shop"]]) {
        const { code, stderr } = await run(["user", ...command, `--email=${address}`]);
        if (address === "" && stderr.includes("--email is missing")) continue;
        expect([address, command, code]).toEqual([address, command, 2]);
        expect(stderr).toMatch(
          unsupported ? /must be an address with ASCII characters/u : /must be an address (?:such as|whose)/u,
        );
      }
    }
  });
});
