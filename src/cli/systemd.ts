import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { second } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";

type Environment = Record<string, string | undefined>;

/** Tells systemd the state of this process (sd_notify(3)). */
export type Supervisor = {
  ready(): Promise<void>;
  reloading(): Promise<void>;
  stopping(): Promise<void>;
  /** Pings the watchdog, if there is one, while `isAlive` is true. */
  watch(isAlive: () => Promise<boolean>): void;
};

const patienceMilliseconds = 10 * second;

/** Undefined if nobody listens. systemd's own program sends (docs/decisions/0067). */
export function supervisorOf(env: Environment, log: Log): Supervisor | undefined {
  const { NOTIFY_SOCKET, PATH } = env;
  if (NOTIFY_SOCKET === undefined) return undefined;
  let last = Promise.resolve();
  let watching: NodeJS.Timeout | undefined;

  async function send(lines: string[]): Promise<void> {
    try {
      const options = { env: { NOTIFY_SOCKET, PATH }, timeout: patienceMilliseconds };
      await promisify(execFile)("systemd-notify", lines, options);
    } catch (error) {
      log.error("systemd-notify failed: systemd does not know the state of this service", error);
    }
  }

  /** One after the other: a reload begins before it ends. */
  async function tell(...lines: string[]): Promise<void> {
    last = last.then(async () => await send(lines));
    await last;
  }

  return {
    ready: async () => await tell("READY=1"),
    reloading: async () => await tell("RELOADING=1", `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`),
    async stopping() {
      clearInterval(watching);
      await tell("STOPPING=1");
    },
    watch(isAlive) {
      const limit = watchdogMilliseconds(env);
      if (limit === undefined) return;
      const ping = async (): Promise<void> => {
        if (await isAlive()) await tell("WATCHDOG=1");
        else log.warn("the database does not answer; unless it does soon, systemd restarts the service");
      };
      watching = setInterval(() => void ping(), limit / 2);
      watching.unref();
    },
  };
}

function watchdogMilliseconds({ WATCHDOG_PID, WATCHDOG_USEC }: Environment): number | undefined {
  const isOurs = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid);
  return isOurs && Number(WATCHDOG_USEC) > 0 ? Number(WATCHDOG_USEC) / 1000 : undefined;
}
