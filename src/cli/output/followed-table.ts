import { setTimeout as pause } from "node:timers/promises";
import type { Cli } from "../cli.ts";
import { write } from "../io.ts";
import type { Screen } from "./screen.ts";
import { growingTable } from "./table.ts";
import { json } from "./text.ts";

const pollMilliseconds = 1000;

/**
 * The output of a command with `--follow`: a table that grows, or with `--json` one document per
 * line. `usual`: an entry to make room for from the start.
 */
export function followedTable<Entry>(
  cli: Cli,
  headings: string[],
  cellsOf: (entry: Entry, screen: Screen) => string[],
  usual?: Entry,
) {
  const { stdout } = cli.io;
  const reader = new AbortController();
  let isBegun = false;
  stdout.once("error", () => reader.abort());
  const given = cli.screen();
  // These lines stay on the terminal, so a relative time would become wrong.
  const time = (at: string): string => at.slice(0, 19).replace("T", " ");
  const screen = given.columns === undefined ? given : { ...given, time };
  const lines = growingTable(headings, screen);
  if (usual) lines.expect([cellsOf(usual, screen)]);

  async function show(entries: Entry[]): Promise<void> {
    const rows = entries.map((entry) => cellsOf(entry, screen));
    lines.expect(rows);
    if (!isBegun && !cli.isJson()) await cli.print(lines.heading());
    isBegun = true;
    for (const [index, entry] of entries.entries())
      if (cli.isJson()) await write(stdout, json(entry, false));
      else await cli.print(lines.row(rows[index] ?? []));
  }

  return {
    show,

    /**
     * Shows the results of `next`, every second, until Ctrl-C, which exits with 130, or until the
     * reader closes the pipe.
     */
    async follow(next: () => Promise<Entry[]>): Promise<void> {
      while (!reader.signal.aborted) {
        await show(await next());
        await pause(pollMilliseconds);
      }
    },
  };
}
