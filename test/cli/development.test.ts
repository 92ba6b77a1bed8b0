import { afterEach, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { startServer, type RunningServer } from "../../src/process/server.ts";
import { mailbox } from "../../src/records/mail/mailbox.ts";
import { until } from "../support/receiver.ts";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

type Finding = { check: string; status: string; message: string; fix: string | null };
const doctor = async (cwd: string) => JSON.parse((await authsvc(["doctor", "--json"], { cwd })).stdout) as Finding[];

describe("commands beside serve --dev", () => {
  let running: RunningServer | undefined;
  afterEach(async () => {
    await running?.close();
    running = undefined;
  });

  /** Starts the service on a folder, in place of the one that runs. */
  async function serve(cwd: string, flags: { dev?: boolean }): Promise<RunningServer> {
    await running?.close();
    const { config } = loadConfig({ flags: { ...flags, port: "0" }, env: {}, cwd });
    running = await startServer({ ...config, log: { ...config.log, level: "silent" } });
    return running;
  }
  const webhook = async (cwd: string) =>
    await authsvc(
      ["webhook", "create", "--app", "app_demo", "--url", "http://localhost:3000/hooks", "--events", "user.login"],
      { cwd },
    );

  test("webhook create takes an address of this machine, and names the setting without that mode", async () => {
    const cwd = emptyFolder();
    await serve(cwd, { dev: true });
    expect(await webhook(cwd)).toMatchObject({ code: 0 });
    await serve(cwd, {});
    expect(await webhook(cwd)).toMatchObject({
      code: 2,
      stderr: "authsvc: --url must be an https URL on a public address, unless webhooks.allowPrivateNetworks is on\n",
    });
    const [{ id } = { id: "" }] = (await answer(["webhook", "list"], { cwd })) as { id: string }[];
    expect(await authsvc(["webhook", "test", id], { cwd })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /: its address is not public \(webhooks\.allowPrivateNetworks is off\)\n/u,
      ) as string,
    });
  });

  test("invitations to organizations are mailed to /dev/mail", async () => {
    const cwd = emptyFolder();
    const { app } = await serve(cwd, { dev: true });
    await answer(["app", "update", "app_demo", "--organizations", "on"], { cwd });
    const organization = async (...args: string[]) =>
      await answer(["organization", ...args, "--app", "app_demo"], { cwd });
    await organization("create", "Acme", "--owner", "ada@example.com");
    await organization("invite", "acme", "bob@example.com", "--roles", "member");
    const mailed = () => (mailbox(app.ctx)?.list() ?? []).map(({ to, kind }) => `${kind} ${to}`).toSorted();
    await until(() => mailed().length === 2);
    expect(mailed()).toEqual(["organization-invite ada@example.com", "organization-invite bob@example.com"]);
  });

  test("doctor finds nothing wrong, even after /dev/clock and with a client on this machine", async () => {
    const cwd = emptyFolder();
    const { url } = await serve(cwd, { dev: true });
    const headers = { "content-type": "application/json" };
    const post = async (path: string, body: object) =>
      await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    expect((await post("/dev/clock", { advanceSeconds: 3600 })).status).toBe(200);
    expect((await post("/dev/token", { email: "ada@example.com" })).status).toBe(200);
    const uri = ["--redirect-uri", "http://localhost:3000/callback"];
    await answer(["client", "create", "--app", "app_demo", "--name", "Wiki", ...uri], { cwd });
    const found = await doctor(cwd);
    expect(found.filter(({ check, status }) => status !== "ok" && check !== "configuration")).toEqual([]);
    expect(found.find(({ check }) => check === "clock")?.message).toBe(
      "Not compared: the service last ran in development mode, in which tests move its clock.",
    );
    // Without that mode, what it left is found.
    await serve(cwd, {});
    const left = (await doctor(cwd)).filter(({ status }) => status !== "ok").map(({ check }) => check);
    expect(left).toEqual(expect.arrayContaining(["clock", "applications", "development"]));
  });
});

test("doctor says what comes next where there is no application", async () => {
  const cwd = emptyFolder();
  await answer(["app", "list"], { cwd });
  expect((await doctor(cwd)).find(({ check }) => check === "applications")).toEqual({
    check: "applications",
    status: "warning",
    message: "Nobody can sign in: there is no application yet.",
    fix: "authsvc app create --name NAME --redirect-uri URI",
  });
  await answer(["app", "create", "--name", "Shop"], { cwd });
  expect((await doctor(cwd)).find(({ check }) => check === "applications")?.status).toBe("ok");
});
