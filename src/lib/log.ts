import { pino, type DestinationStream } from "pino";
import { escapeUnseen } from "./text.ts";

/** The fields of a log line. No objects, so a request, a row or an error is never logged whole. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

export type Log = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
  readonly debugging: boolean;
};

const maxWaitingBytes = 2 ** 20;
const triesAgainAfter = 200;

/** Writes to stderr, either as JSON lines or as short lines for people. */
export function createLog(
  options: { level: "debug" | "info" | "warn" | "error" | "silent"; format: "json" | "text" },
  destination?: DestinationStream,
): Log {
  const stream = destination ?? standardError();
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
 * A log that cannot be written (full disk, closed pipe, a reader that has stopped) must not stop
 * the service: lines are buffered in memory and tried again, then dropped.
 */
function standardError(): DestinationStream {
  // The default blocks the whole process while a pipe is full.
  const retryEAGAIN = (): boolean => false;
  const stream = pino.destination({ dest: 2, sync: true, maxLength: maxWaitingBytes, retryEAGAIN });
  let again: NodeJS.Timeout | undefined;
  stream.on("error", () => {
    again ??= setTimeout(() => {
      again = undefined;
      stream.write("");
    }, triesAgainAfter).unref();
  });
  return stream;
}

/**
 * An error and its causes as text. Database errors are reduced to their code, because drizzle and
 * PostgreSQL put values into their messages.
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

/** Only the stack frames: a message with line breaks could forge log lines. */
function callsOf(stack: string): string {
  const lines = stack.split("\n").filter((line) => /^ {4}at /u.test(line));
  return lines.join("\n");
}

function asText(stream: DestinationStream): DestinationStream {
  return {
    write(line) {
      const { level, time, msg, stack, ...fields } = JSON.parse(line) as Record<string, unknown>;
      const details = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
      const trace = typeof stack === "string" ? `\n${stack}` : "";
      const text = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}${details.join("")}`;
      stream.write(`${escapeUnseen(`${text}${trace}`, "\n")}\n`);
    },
  };
}
