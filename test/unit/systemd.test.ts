import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { supervisorOf } from "../../src/cli/systemd.ts";
import { createLog } from "../../src/lib/log.ts";
import { emptyFolder } from "../cli/command.ts";

const log = createLog({ level: "silent", format: "json" });

test.skipIf(process.platform === "win32")("the watchdog is pinged at most half its time apart", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = emptyFolder();
  const said = join(folder, "said");
  const program = join(folder, "systemd-notify");
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${said}\n`);
  chmodSync(program, 0o755);
  const supervisor = supervisorOf({ NOTIFY_SOCKET: "/none", PATH: folder, WATCHDOG_USEC: "60000000" }, log);
  supervisor?.watch(async () => true);
  for (let halves = 1; halves <= 4; halves += 1) {
    vi.advanceTimersByTime(30_000);
    await vi.waitFor(() =>
      expect(readFileSync(said, "utf8").match(/^WATCHDOG=1$/gmu)?.length).toBeGreaterThanOrEqual(halves),
    );
  }
  await supervisor?.stopping();
});
