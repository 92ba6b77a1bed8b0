import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../../config/config.ts";
import { AppError } from "../../lib/errors.ts";
import { second } from "../../lib/clock.ts";
import type { LiveState } from "../../live/live.ts";
import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { wholeNumberFrom } from "../input/values.ts";
import { fullScreen } from "../output/full-screen.ts";
import { liveText, unlimited } from "../output/live-text.ts";
import { reasonOf } from "../report.ts";

type Flags = { interval: number; once?: boolean };

/** Counting begins at the first look. */
const firstLookLasts = 2 * second;

export function addTop(program: CliCommand, cli: Cli): void {
  program
    .command("top")
    .description("show what the running service does: rates, latencies, queues, slowest calls; q quits")
    .option("--interval <seconds>", "seconds between updates", wholeNumberFrom(1, 60), 1)
    .option("--once", "print once and exit, as without a terminal")
    .examples("authsvc top", "authsvc top --once --json | jq .requests")
    .action(async ({ interval, once = false }: Flags) => {
      const { config } = await cli.configure();
      const { env, stdout } = cli.io;
      const takesOver = stdout.isTTY && env["TERM"] !== "dumb" && !cli.isJson() && !once;
      await (takesOver ? watch(cli, config, interval * second) : printOnce(cli, config));
    });
}

async function printOnce(cli: Cli, config: Config): Promise<void> {
  let state = await read(config);
  if (state.seconds * second < firstLookLasts) {
    await pause(firstLookLasts);
    state = await read(config);
  }
  await cli.result(
    state,
    liveText(state, unlimited, Date.now())
      .map((line) => `${line}\n`)
      .join(""),
  );
}

async function watch(cli: Cli, config: Config, interval: number): Promise<void> {
  const { readLive } = await import("../../live/client.ts");
  // Without a service, a message stays on the terminal.
  let state = await read(config);
  let problem = "";
  const screen = fullScreen(cli.io, cli.screen().colour, draw);
  function draw(): void {
    const { rows, columns } = screen.size();
    const lines = liveText(state, { rows: problem === "" ? rows : rows - 1, columns }, Date.now());
    screen.draw(problem === "" ? lines : [problem.slice(0, columns), ...lines]);
  }
  try {
    let ending: string | undefined;
    while (ending === undefined) {
      draw();
      const timer = new AbortController();
      const waited = pause(interval, undefined, { signal: timer.signal }).catch(() => undefined);
      ending = await Promise.race([screen.ended, waited]);
      timer.abort();
      if (ending !== undefined) break;
      try {
        const newest = await readLive(config);
        problem = newest ? "" : "THE SERVICE HAS STOPPED. This is its last state; the next start is shown.";
        state = newest ?? state;
      } catch (error) {
        problem = `NOT UP TO DATE: ${await reasonOf(error)}`;
      }
    }
    if (ending === "interrupted") cli.endWith(exitCodes.interrupted);
  } finally {
    screen.close();
  }
}

async function read(config: Config): Promise<LiveState> {
  const { nothingLive, readLive } = await import("../../live/client.ts");
  const state = await readLive(config);
  if (!state) throw new AppError("SERVER_ERROR", nothingLive(config));
  return state;
}
