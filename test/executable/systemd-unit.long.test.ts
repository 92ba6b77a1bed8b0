import { randomBytes, randomInt } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../cli/command.ts";
import { program } from "../support/program.ts";
import { startSystemd, whyNoSystemd } from "../support/real-systemd.ts";
import { statusOf } from "../support/status-of.ts";
import { until } from "../support/receiver.ts";

const deploy = join(import.meta.dirname, "../../deploy/systemd");

test("the units run the service, keep its socket over restarts, pass its key, and notice when it hangs", async ({
  skip,
}) => {
  const reason = whyNoSystemd();
  skip(reason !== undefined, reason);
  const folder = emptyFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // Nobody else uses it.
  const host = `127.${randomInt(64, 128)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const place = (path: string, text: string | Buffer): void => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const unit of ["authsvc.service", "authsvc.socket"])
    place(`etc/systemd/system/${unit}`, readFileSync(join(deploy, unit)));
  place("etc/sysusers.d/authsvc.conf", readFileSync(join(deploy, "authsvc.sysusers")));
  place("etc/systemd/system/authsvc.socket.d/address.conf", `[Socket]\nListenStream=\nListenStream=${host}:8080\n`);
  place("etc/authsvc/config.yaml", `listen: { host: ${host} }\nbaseUrl: http://localhost:8080\n`);
  place("etc/authsvc/key", randomBytes(32).toString("base64url"));
  mkdirSync(join(folder, "etc/credstore.encrypted"), { recursive: true });
  mkdirSync(join(folder, "bin"));
  copyFileSync(program[0], join(folder, "bin/authsvc"));

  const systemd = await startSystemd(folder);
  skip(!systemd, "systemd does not start here");
  const { run, log } = systemd ?? { run: async () => "", log: () => "" };
  await run("systemd-sysusers");
  await run(
    "systemd-creds",
    "encrypt",
    "--name=master-key",
    "/etc/authsvc/key",
    "/etc/credstore.encrypted/authsvc.master-key",
  );
  const shown = async (name: string): Promise<string> =>
    await run("systemctl", "show", "--value", `--property=${name}`, "authsvc.service");

  await run("systemctl", "start", "authsvc.socket", "authsvc.service");
  expect(await shown("ActiveState"), `${host}\n${log()}`).toBe("active");
  expect(await statusOf(8080, { host })).toBe(200);
  expect(await run("stat", "-c", "%U %a", "/var/lib/authsvc", "/var/lib/authsvc/authsvc.db")).toBe(
    "authsvc 700\nauthsvc 600",
  );
  expect((await run("ls", "/var/lib/authsvc")).split("\n")).not.toContain("master.key");

  const results: (number | string)[] = [];
  const stop = new AbortController();
  const working = Array.from({ length: 4 }, async () => {
    while (!stop.signal.aborted) results.push(await statusOf(8080, { host }).catch((error: unknown) => String(error)));
  });
  for (let round = 0; round < 2; round += 1) {
    const before = results.length;
    await until(() => results.length > before + 20);
    await run("systemctl", "restart", "authsvc.service");
  }
  await run("systemctl", "reload", "authsvc.service");
  stop.abort();
  await Promise.all(working);
  expect(results.filter((result) => result !== 200)).toEqual([]);

  // A minute is long for a test.
  const folderOfUnit = "/etc/systemd/system/authsvc.service.d";
  await run("sh", "-c", `mkdir ${folderOfUnit} && printf '[Service]\\nWatchdogSec=15\\n' > ${folderOfUnit}/test.conf`);
  await run("systemctl", "daemon-reload");
  await run("systemctl", "restart", "authsvc.service");
  const main = await shown("MainPID");
  await run("kill", "-STOP", main);
  await until(async () => (await shown("MainPID")) !== main && (await shown("ActiveState")) === "active");
  expect(await statusOf(8080, { host })).toBe(200);
  await run("systemctl", "stop", "authsvc.service");
  expect(await shown("Result")).toBe("success");
});
