import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

describeEachPlace("clients for devices", (place) => {
  const run = async (args: string[]) => await authsvc(args, place);
  const json = async (args: string[]) => (await answer(args, place)) as Record<string, unknown>;
  const create = ["client", "create", "--app", "app_shop", "--name", "TV"];

  beforeAll(async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], place);
  });

  it("are created without a secret and without addresses, and are tried by a shown command", async () => {
    const created = await run([...create, "--id", "tv", "--kind", "device"]);
    expect(created).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("To try it: authsvc client show tv") as string,
    });
    expect(created.stdout).not.toContain("Redirect URIs");
    expect(await json(["client", "show", "tv"])).toMatchObject({ kind: "device", deviceGrant: true, redirectUris: [] });
    const { stdout, stderr } = await run(["client", "show", "tv"]);
    expect(stdout).not.toContain("Client secret");
    expect(stderr).toContain('curl -d client_id=tv -d scope="openid profile email offline_access"');
    expect(stderr).toContain("/oauth2/device_authorization");
    expect((await run(["doctor"])).stdout).not.toContain("sign in to tv");
  });

  it.each([
    [["--kind", "device", "--redirect-uri", "https://tv.example/callback"], "--redirect-uri"],
    [["--kind", "device", "--post-logout-redirect-uri", "https://tv.example/"], "--post-logout-redirect-uri"],
    [["--kind", "device", "--device-grant", "off"], "--device-grant"],
    [["--kind", "web", "--device-grant", "on"], "--device-grant"],
    [["--kind", "machine", "--device-grant", "on"], "--device-grant"],
  ])("refuse %j", async (flags, named) => {
    const { code, stderr } = await run([...create, ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(named)]);
  });

  it("are other public clients too, if they have the grant", async () => {
    const native = ["--id", "cli", "--kind", "native", "--redirect-uri", "http://127.0.0.1/callback"];
    expect(await json([...create, ...native])).toMatchObject({ client: { deviceGrant: false } });
    expect((await run(["client", "show", "cli"])).stdout).toMatch(/Device grant +off/u);
    expect(await json(["client", "update", "cli", "--device-grant", "on"])).toMatchObject({ deviceGrant: true });
    expect((await run(["client", "show", "cli"])).stderr).toContain("To try it");
    expect(await json(["client", "update", "cli", "--device-grant", "off"])).toMatchObject({ deviceGrant: false });
  });

  it("are in the file of applications, and plan finds no difference to an export", async () => {
    const file = join(place.cwd, "applications.yaml");
    const clients = [
      { id: "tv", name: "Television" },
      { id: "box", name: "Box", kind: "device", scopes: ["openid"] },
      { id: "cli", deviceGrant: true },
    ];
    writeFileSync(file, JSON.stringify({ version: 1, applications: [{ id: "app_shop", name: "Shop", clients }] }));
    expect(await run(["apply", file])).toMatchObject({ code: 0 });
    expect(await json(["client", "show", "box"])).toMatchObject({ kind: "device", deviceGrant: true });
    expect(await json(["client", "show", "cli"])).toMatchObject({ deviceGrant: true });
    writeFileSync(file, (await run(["export"])).stdout);
    expect((await run(["plan", file, "--detailed-exitcode"])).code).toBe(0);
    const bad = [{ id: "box", redirectUris: ["https://box.example/"] }];
    writeFileSync(file, JSON.stringify({ version: 1, applications: [{ id: "app_shop", name: "Shop", clients: bad }] }));
    const { code, stderr } = await run(["plan", file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("redirectUris")]);
  });
});
