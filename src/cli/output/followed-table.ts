import type { Cli } from "../cli.ts";
import { write } from "../io.ts";
import { growingTable } from "./table.ts";
import { json } from "./text.ts";

/**
 * The output of a command with `--follow`: a table that grows, or with `--json` one document per
 * line. It stays open until Ctrl-C, which exits with 130, or until the reader closes the pipe.
 */
export function followedTable(cli: Cli, headings: string[]) {
  const { stdout } = cli.io;
  const reader = new AbortController();
  stdout.once("error", () => reader.abort());
  // These lines stay on the screen, so a relative time would become wrong.
  const screen = { ...cli.screen(), time: (at: string) => at.slice(0, 19).replace("T", " ") };
  const lines = growingTable(headings, screen);

  return {
    screen,

    isOpen: (): boolean => !reader.signal.aborted,

    /** Rows that come next, so that the columns get wide enough. */
    expect: lines.expect,

    async printHeading(): Promise<void> {
      if (!cli.isJson()) await cli.print(lines.heading());
    },

    async print(entry: unknown, cells: string[]): Promise<void> {
      if (cli.isJson()) await write(stdout, json(entry, false));
      else await cli.print(lines.row(cells));
    },
  };
}
