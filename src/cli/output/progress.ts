import type { Cli } from "../cli.ts";

const barWidth = 24;
/** On a terminal, and in a log. */
const redrawMilliseconds = 100;
const logMilliseconds = 5000;

/**
 * The progress of a long command on standard error: a redrawn bar on a terminal, else a line from
 * time to time; nothing with `--quiet`. `total` is undefined if unknown.
 */
export function createProgress(cli: Cli, unit: string, total: number | undefined) {
  const { stderr } = cli.io;
  const drawn = stderr.isTTY && !cli.isQuiet();
  const startedAt = performance.now();
  let shownAt = startedAt;

  function text(done: number, count: number): string {
    const seconds = Math.max((performance.now() - startedAt) / 1000, 0.001);
    const counted = `${count.toLocaleString("en")} ${unit}, ${Math.round(count / seconds).toLocaleString("en")} a second`;
    if (total === undefined || total === 0) return counted;
    const part = Math.min(done / total, 1);
    const filled = Math.round(part * barWidth);
    const bar = drawn ? `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] ` : "";
    return `${bar}${Math.floor(part * 100)} %  ${counted}`;
  }

  return {
    /** `done` counts towards `total`; `count` is shown. */
    async show(done: number, count: number): Promise<void> {
      if (performance.now() - shownAt < (drawn ? redrawMilliseconds : logMilliseconds)) return;
      shownAt = performance.now();
      if (drawn) stderr.write(`\r\u001b[K${text(done, count)}`);
      else await cli.note(text(done, count));
    },

    /** Clears the line for other output. */
    end(): void {
      if (drawn) stderr.write("\r\u001b[K");
    },
  };
}
