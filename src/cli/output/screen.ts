import type { Io } from "../io.ts";
import { shortSpanText, spanText } from "./times.ts";

/** How a stream is read: a terminal gets columns and relative times, a program does not. */
export type Screen = {
  /** Undefined if the stream is not a terminal. */
  columns: number | undefined;
  colour: boolean;
  /** An instant in a table: `3 h ago` on a terminal. */
  time(instant: string): string;
  /** An instant on its own line, with its relative time. */
  moment(instant: string): string;
};

/** An instant in a table that may be missing. */
export function timeOr(missing: string, instant: string | null, screen: Screen): string {
  return instant === null ? missing : screen.time(instant);
}

const fewestColumns = 40;

export function screenOf({ env }: Pick<Io, "env">, stream: NodeJS.WriteStream, now = Date.now()): Screen {
  const isTerminal = stream.isTTY;
  const since = (instant: string): number => (now - Date.parse(instant)) / 1000;
  return {
    columns: isTerminal ? Math.max(fewestColumns, stream.columns || 80) : undefined,
    // https://no-color.org and https://clig.dev/#output
    colour: isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb",
    time: (instant) => (isTerminal ? shortSpanText(since(instant)) : instant),
    moment: (instant) => (isTerminal ? `${instant} (${spanText(since(instant))})` : instant),
  };
}
