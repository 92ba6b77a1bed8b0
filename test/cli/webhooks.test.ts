import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import * as events from "../../src/records/webhooks/events.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import { startServer } from "../../src/process/server.ts";
import { until, useReceiver } from "../support/receiver.ts";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

const secret = `whsec_${Buffer.alloc(24, 5).toString("base64")}`;

describeEachPlace("webhook", (place, dialect) => {
  const receiver = useReceiver();
  const run = async (args: string[], input = `${secret}\n`) => await authsvc(["webhook", ...args], { ...place, input });
  const json = async (...args: string[]) => await answer(["webhook", ...args], { ...place, input: secret });

  beforeAll(async () => {
    place.env["AUTHSVC_WEBHOOKS__ALLOW_PRIVATE_NETWORKS"] = "true";
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], place);
  });

  const creation = (...more: string[]) => [
    "create",
    "--app",
    "app_shop",
    "--events",
    "user.login, user.created",
    ...more,
  ];

  it("create, list, show, update and delete go through the life of an endpoint", async () => {
    const url = "https://shop.example.com/hooks";
    const dry = await json(...creation("--url", url, "--id", "whe_dry", "--secret-stdin", "--dry-run"));
    expect(dry).toMatchObject({ id: "whe_dry", dryRun: true });
    expect(await json("list")).toEqual([]);
    const created = await json(...creation("--url", url, "--id", "whe_life", "--secret-stdin"));
    expect(created).toMatchObject({ id: "whe_life", appId: "app_shop", url, events: ["user.login", "user.created"] });
    expect(await json("list", "--app", "app_shop")).toEqual([{ ...(created as object), waiting: 0 }]);
    expect(await json("show", "whe_life")).toEqual(created);
    const off = await json("update", "whe_life", "--events", "user.deleted", "--enabled", "off");
    expect(off).toMatchObject({ events: ["user.deleted"], enabled: false, disabledReason: "operator" });
    expect((await run(["show", "whe_life"])).stdout).toContain("off: switched off");
    expect(await json("update", "whe_life", "--enabled", "on", "--dry-run")).toMatchObject({ enabled: true });
    expect(await json("show", "whe_life")).toMatchObject({ enabled: false });
    const rotated = await json("rotate-secret", "whe_life", "--overlap", "2h", "--secret-stdin");
    expect(rotated).toMatchObject({ oldSecretUntil: expect.any(String) });
    const renewed = (await json("rotate-secret", "whe_life")) as { secret: string };
    expect(renewed.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u);
    expect(await json("rotate-secret", "whe_life", "--dry-run")).not.toHaveProperty("secret");
    expect(await run(["delete", "whe_life"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(await json("delete", "whe_life", "--yes")).toEqual({ id: "whe_life", appId: "app_shop", deleted: true });
    expect(await run(["show", "whe_life"])).toMatchObject({ code: 3 });
    const said = [created, off, rotated].map((shown) => JSON.stringify(shown)).join("");
    expect(said).not.toContain(secret);
    if (dialect === "sqlite") {
      const folder = join(place.cwd, "data");
      const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
      expect(files.join("")).not.toContain(secret);
    }
  });

  it("test sends a sample and prints what the receiver said, harmless for a terminal", async () => {
    await json(...creation("--url", receiver.url, "--id", "whe_test", "--secret-stdin"));
    const good = await run(["test", "whe_test"]);
    expect(good).toMatchObject({ code: 0, stdout: expect.stringMatching(/^user\.login: 204 in \d+ ms\n$/u) });
    receiver.next((answered) => void answered.writeHead(500).end("broken\nauthsvc: \u001b[31mred"));
    const bad = await run(["test", "whe_test", "--event", "user.created"]);
    expect(bad).toMatchObject({ code: 1, stderr: "authsvc: The receiver did not accept the sample event.\n" });
    expect(bad.stdout).toMatch(/^user\.created: 500 in \d+ ms\n {2}\| broken\n {2}\| authsvc: \\u001b\[31mred\n$/u);
    expect(receiver.received.map(({ body }) => body.event)).toEqual(["user.login", "user.created"]);
  });

  it("deliveries shows every attempt, and redeliver sends again what failed", async () => {
    const id = "whe_life2";
    await json(...creation("--url", receiver.url, "--id", id, "--secret-stdin"));
    const { config } = loadConfig({ flags: { port: "0" }, env: place.env, cwd: place.cwd });
    const silent = { ...config, log: { ...config.log, level: "silent" as const } };
    const server = await startServer(silent);
    receiver.always((answered) => void answered.writeHead(410).end("moved out"));
    const event = {
      kind: "user.login",
      appId: "app_shop",
      userId: "usr_1",
      authMethod: null,
      source: null,
    } as const;
    const { ctx } = server.app;
    const { storage } = ctx;
    // At once: the first 410 ends the endpoint, which is told of nothing that happens afterwards.
    await storage.write(async (tx) => {
      for (const sessionId of ["lgn_1", "lgn_2"]) await events.record(ctx, tx, { ...event, sessionId }, Date.now());
    });
    const failures = async () => (await json("deliveries", id, "--failed")) as { eventId: string }[];
    await until(async () => (await failures()).length === 2);
    expect(await webhooks.get(ctx, id)).toMatchObject({ enabled: false });
    receiver.always(204);
    const failed = await failures();
    expect(failed).toMatchObject([
      { endpointId: id, event: "user.login", status: "failed", attempts: [{ status: 410, response: "moved out" }] },
      { attempts: [{ status: 410 }] },
    ]);
    const shown = (await run(["deliveries", id, "--since", "1h"])).stdout;
    expect(shown).toMatch(/evt_\w+ {2}user\.login {2}\S+Z {2}failed\n {2}\S+Z {2}410 in \d+ ms\n {2}\| moved out\n/u);
    expect(await run(["redeliver", id])).toMatchObject({ code: 2, stderr: expect.stringContaining("--failed") });
    expect(await run(["redeliver", id, "evt_never"])).toMatchObject({ code: 3 });
    await json("update", id, "--enabled", "on");
    expect(await json("redeliver", id, failed[0]?.eventId ?? "")).toEqual({ id, redelivered: 1 });
    expect(await json("redeliver", id, "--failed", "--since", "1h")).toEqual({ id, redelivered: 1 });
    await until(async () =>
      ((await json("deliveries", id)) as { status: string }[]).every((row) => row.status === "delivered"),
    );
    expect(await json("deliveries", id, "--failed")).toEqual([]);
    await server.close();
  });

  it("makes a secret where none is given, shows it once, and signs with it", async () => {
    const created = await json(...creation("--url", "https://hooks.example.com/", "--id", "whe_made"));
    expect(created).toMatchObject({ id: "whe_made", secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/u) as string });
    expect(await json("show", "whe_made")).not.toHaveProperty("secret");
    expect(await json(...creation("--url", "https://hooks.example.com/", "--dry-run"))).not.toHaveProperty("secret");
    await json("delete", "whe_made", "--yes");
  });

  it.each<[args: string, code: number, named: string]>([
    ["create --url https://a.example/ --events user.login --secret-stdin", 2, "--app"],
    ["create --app app_shop --url ftp://a.example/ --events user.login --secret-stdin", 2, "--url"],
    ["create --app app_shop --url https://a.example/ --events a,b --secret-stdin", 2, "--events"],
    ["create --app app_none --url https://a.example/ --events user.login --secret-stdin", 3, "application"],
    ["create --app app_shop --url https://a.example/ --events user.login --secret x", 2, "--secret"],
    ["create --app app_shop --url https://a.example/ --events user.login --id a+b --secret-stdin", 2, "--id"],
    ["list --app app_none", 3, "application"],
    ["update whe_test", 2, "--url"],
    ["update whe_test --url http://10.0.0.1/", 2, "--url"],
    ["rotate-secret whe_test --overlap 99d --secret-stdin", 2, "--overlap"],
    ["redeliver whe_test evt_1 --failed", 2, "--failed"],
    ["deliveries whe_none", 3, "webhook"],
    ["test whe_test --event user.exploded", 2, "--event"],
  ])("%s is refused with exit code %i and names %s", async (args, code, named) => {
    const refused = await run(args.split(" "));
    expect(refused).toMatchObject({ code, stdout: "" });
    expect(refused.stderr.trim().split("\n")).toHaveLength(1);
    expect(refused.stderr).toContain(named);
    expect(refused.stderr).not.toContain(secret);
  });
});
