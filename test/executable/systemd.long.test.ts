import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { startGate } from "../faults/postgres-faults.ts";
import { startPostgres } from "../support/postgres.ts";
import { until } from "../support/receiver.ts";
import { testMasterKey } from "../support/service.ts";
import { statusOf } from "../support/status-of.ts";
import { supervise, whyNoSupervisor } from "../support/supervisor.ts";
import { writeCertificate } from "../support/tls-files.ts";
import { freePort } from "../support/free-port.ts";
import { emptyFolder } from "../cli/command.ts";
import { servingProcesses } from "../cli/serving.ts";

const reason = whyNoSupervisor();
const tls = {
  AUTHSVC_LISTEN__TLS__CERT_FILE: "cert.pem",
  AUTHSVC_LISTEN__TLS__KEY_FILE: "key.pem",
  AUTHSVC_BASE_URL: "https://localhost",
};

describe(`serve under systemd${reason === undefined ? "" : ` (skipped: ${reason})`}`, () => {
  test.skipIf(reason)("is ready once it accepts requests, tells of reloads, and says that it stops", async () => {
    const cwd = emptyFolder();
    await writeCertificate(cwd);
    const port = await freePort();
    const served = await supervise([], { cwd, env: { ...tls, AUTHSVC_LISTEN__PORT: String(port) } });
    served.send("start");
    await until(() => served.states().length > 0 || served.endings().length > 0);
    expect(served.states(), served.log()).toEqual(["READY=1"]);
    expect(await statusOf(port, { protocol: "https" })).toBe(200);

    served.send("SIGHUP");
    await until(() => served.count("READY=1") === 2);
    expect(served.states()[1]).toMatch(/^RELOADING=1\nMONOTONIC_USEC=\d+$/u);
    served.send("SIGTERM");
    await until(() => served.endings().length > 0);
    expect(served.endings()).toEqual([0]);
    expect(served.states().slice(2)).toEqual(["READY=1", "STOPPING=1"]);
  });

  test.skipIf(reason)("continues after a reload without a certificate", async () => {
    const cwd = emptyFolder();
    const served = await supervise(["authsvc.socket"], { cwd });
    served.send("start");
    await until(() => served.count("READY=1") === 1);
    served.send("SIGHUP");
    await until(() => served.log().includes("nothing to reload"));
    expect(await statusOf(served.ports[0] ?? 0)).toBe(200);
  });

  test.skipIf(reason)("pings the watchdog only while its database answers", async () => {
    const cwd = emptyFolder();
    const served = await supervise(["authsvc.socket"], { cwd, env: { WATCHDOG_USEC: "2000000" } });
    served.send("start");
    await until(() => served.count("WATCHDOG=1") > 1);

    const database = new Database(join(cwd, "authsvc.db"));
    database.exec("ALTER TABLE applications RENAME TO elsewhere");
    const refusals = (): number => served.log().split("the database does not answer").length - 1;
    await until(() => refusals() > 0);
    const pings = served.count("WATCHDOG=1");
    await until(() => refusals() > 3);
    // The last one may have been under way.
    expect(served.count("WATCHDOG=1")).toBeLessThanOrEqual(pings + 1);
    database.exec("ALTER TABLE elsewhere RENAME TO applications");
    database.close();
    await until(() => served.count("WATCHDOG=1") > pings + 1);
  });

  test.skipIf(reason)(
    "pings the watchdog while PostgreSQL hangs: a restart of the service repairs nothing",
    async () => {
      const postgres = await startPostgres();
      const gate = await startGate(postgres.url("postgres"));
      onTestFinished(async () => {
        await gate.close();
        await postgres.stop();
      });
      const port = await freePort();
      const served = await supervise([], {
        cwd: emptyFolder(),
        env: {
          AUTHSVC_DATABASE__URL: gate.url,
          AUTHSVC_MASTER_KEY: testMasterKey,
          AUTHSVC_LISTEN__PORT: String(port),
          WATCHDOG_USEC: "2000000",
        },
      });
      served.send("start");
      await until(() => served.count("WATCHDOG=1") > 0);
      gate.begin();
      await until(async () => (await statusOf(port, { path: "/readyz" })) === 503);
      const pings = served.count("WATCHDOG=1");
      // One may have been under way.
      await until(() => served.count("WATCHDOG=1") > pings + 3);
      expect(served.log()).not.toContain("systemd restarts the service");
    },
  );

  test.skipIf(reason)("a restart refuses and loses no connection on a socket that stays", async () => {
    const cwd = emptyFolder();
    const served = await supervise(["authsvc.socket"], { cwd });
    const [port = 0] = served.ports;
    const results: (number | string)[] = [];
    const stop = new AbortController();
    // Connections wait already before the first start.
    const working = Array.from({ length: 8 }, async () => {
      while (!stop.signal.aborted) results.push(await statusOf(port).catch((error: unknown) => String(error)));
    });
    for (let round = 1; round <= 3; round += 1) {
      served.send("start");
      await until(() => served.count("READY=1") === round);
      const before = results.length;
      await until(() => results.length > before + 50);
      served.send("SIGTERM");
      await until(() => served.endings().length === round);
    }
    served.send("start");
    stop.abort();
    await Promise.all(working);
    expect(results.filter((result) => result !== 200)).toEqual([]);
    expect(served.endings()).toEqual([0, 0, 0]);
  });

  test.skipIf(reason)("takes a socket for each listener, by name, with its own TLS", async () => {
    const cwd = emptyFolder();
    await writeCertificate(cwd);
    const env = { ...tls, AUTHSVC_CONSOLE__BASE_URL: "https://console.localhost" };
    const served = await supervise(["metrics", "console", "authsvc.socket"], { cwd, env });
    served.send("start");
    await until(() => served.states().length > 0 || served.endings().length > 0);
    const [metrics = 0, team = 0, publicly = 0] = served.ports;
    expect(await statusOf(metrics, { path: "/metrics" }), served.log()).toBe(200);
    expect(await statusOf(team, { protocol: "https", path: "/console/assets/none.css" })).toBe(404);
    expect(await statusOf(publicly, { protocol: "https" })).toBe(200);
  });

  test.skipIf(reason).each([
    [["authsvc.socket", "other"], {}, "two sockets for the public listener: leave one ListenStream="],
    [["unix"], {}, "a socket that is not TCP: ListenStream= must be an address and a port"],
    [["authsvc.socket"], { AUTHSVC_LISTEN__HOST: "::1" }, "listen is [::1]:"],
    [["authsvc.socket", "metrics"], { AUTHSVC_METRICS__HOST: "127.0.0.2" }, "but metrics is 127.0.0.2:"],
  ])("Z6: refuses sockets that do not fit the settings: %j %j", async (sockets, env, line) => {
    const served = await supervise(sockets, { cwd: emptyFolder(), env });
    served.send("start");
    await until(() => served.endings().length > 0);
    expect(served.endings()).toEqual([2]);
    expect(served.log()).toContain(line);
    expect(served.states()).toEqual([]);
  });
});

const { serve, addressOf } = servingProcesses();

test("serves without systemd-notify, and on no socket that is for another process", async () => {
  const systemd = { NOTIFY_SOCKET: "/nonexistent", LISTEN_PID: "1", LISTEN_FDS: "1" };
  const child = serve(["--port", "0"], emptyFolder(), { PATH: "/nonexistent", ...systemd });
  let log = "";
  child.stderr.on("data", (text: Buffer) => (log += text.toString()));
  const address = await addressOf(child);
  expect(await statusOf(Number(new URL(address).port))).toBe(200);
  await until(() => log.includes("systemd-notify failed"));
});
