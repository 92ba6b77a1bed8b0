import type { Io } from "../io.ts";
import type { Screen } from "./screen.ts";
import { printable } from "./text.ts";

const show = "\u001b[?1049h\u001b[?25l";
const restore = "\u001b[?25h\u001b[?1049l";
const home = "\u001b[H";
const clearLine = "\u001b[K";
const clearBelow = "\u001b[J";
const interruptKeys = ["\u0003", "\u0004"];

/** How a full screen ended: by its key, or by Ctrl-C or a signal. */
export type Ending = "quit" | "interrupted";

/**
 * Takes over the terminal until `q`, Ctrl-C, a signal or the end of input. However the process
 * ends, the previous content is restored. `onResize` is called for a new size.
 */
export function fullScreen(io: Io, colour: Screen["colour"], onResize: () => void) {
  const { stdin, stdout } = io;
  const { promise: ended, resolve } = Promise.withResolvers<Ending>();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const interrupt = (): void => resolve("interrupted");
  const onKey = (key: Buffer): void => {
    if (interruptKeys.includes(key.toString())) interrupt();
    else if (key.toString().toLowerCase() === "q") resolve("quit");
  };
  const putBack = (): void => void stdout.write(restore);

  // In raw mode, keys arrive without Enter, and Ctrl-C as a key.
  if (stdin.isTTY) stdin.setRawMode(true).on("data", onKey).resume();
  for (const signal of signals) io.on(signal, interrupt);
  io.on("exit", putBack);
  stdout.on("resize", onResize).once("error", interrupt);
  stdout.write(show);

  return {
    ended,

    size: (): { rows: number; columns: number } => ({ rows: stdout.rows || 24, columns: stdout.columns || 80 }),

    /** Draws over the lines before, so that nothing flickers. */
    draw(lines: string[]): void {
      const drawn = lines.map((line) => `${printable(line, colour)}${clearLine}`);
      stdout.write(`${home}${drawn.join("\r\n")}${clearBelow}`);
    },

    close(): void {
      if (stdin.isTTY) stdin.setRawMode(false).off("data", onKey).pause();
      for (const signal of signals) io.off(signal, interrupt);
      io.off("exit", putBack);
      stdout.off("resize", onResize).off("error", interrupt);
      putBack();
    },
  };
}
