import { pino, type DestinationStream } from "pino";

/** What may stand in a log line beside its message. No free objects: a request, a row or an error never goes in whole. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

export type Log = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
  readonly debugging: boolean;
};

/** Writes to stderr: JSON lines, or short lines for a person. */
export function createLog(
  options: { level: "debug" | "info" | "warn" | "error" | "silent"; format: "json" | "text" },
  destination?: DestinationStream,
): Log {
  const stream = destination ?? pino.destination({ dest: 2, sync: true });
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.format === "json" ? stream : asText(stream),
  );
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, error, fields) => logger.error({ ...fields, ...describeError(error) }, message),
    debugging: logger.isLevelEnabled("debug"),
  };
}

/**
 * An error and its causes as text. A database error is reduced to its code: drizzle puts the query's parameters into its message, and
 * PostgreSQL quotes values in its own.
 */
export function describeError(error: unknown): { error: string; stack?: string } {
  const texts: string[] = [];
  let stack: string | undefined;
  for (let cause = error, depth = 0; cause !== undefined && cause !== null && depth < 5; depth += 1) {
    if (!(cause instanceof Error)) {
      texts.push(typeof cause === "string" ? cause : typeof cause);
      break;
    }
    const code = (cause as { code?: unknown }).code;
    const fromDatabase = "query" in cause || "severity" in cause;
    texts.push(
      fromDatabase ? `database error${typeof code === "string" ? ` ${code}` : ""}` : `${cause.name}: ${cause.message}`,
    );
    if (!fromDatabase && cause.stack !== undefined) stack = callsOf(cause.stack);
    cause = cause.cause;
  }
  return stack === undefined ? { error: texts.join("; caused by ") } : { error: texts.join("; caused by "), stack };
}

/** The calls alone: a message can have lines of its own, which would look like lines of the log. */
function callsOf(stack: string): string {
  const lines = stack.split("\n").filter((line) => /^ {4}at /u.test(line));
  return lines.join("\n");
}

/** What a terminal would obey, or take for the end of a line; JSON lets C1 and the separators of Unicode through. */
// oxlint-disable-next-line no-control-regex
const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/gu;

function escaped(text: string): string {
  return text.replaceAll(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function asText(stream: DestinationStream): DestinationStream {
  return {
    write(line) {
      const { level, time, msg, stack, ...fields } = JSON.parse(line) as Record<string, unknown>;
      const details = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
      const trace = typeof stack === "string" ? `\n${stack}` : "";
      const text = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}${details.join("")}`;
      stream.write(`${escaped(text)}${escaped(trace)}\n`);
    },
  };
}
