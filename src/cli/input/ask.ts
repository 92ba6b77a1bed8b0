import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../../lib/errors.ts";
import { maxSecretBytes, tooLarge } from "../../lib/read-file.ts";
import { canAsk, type Io } from "../io.ts";

/**
 * A value that a command needs: the argument that provides it (`--name`, `TOKEN`), and the question
 * for a person.
 */
type Wanted = {
  flag: string;
  question: string;
  /** An alternative: "--email ADDRESS". */
  otherwise?: string;
  problem?: (answer: string) => string | undefined;
};

/**
 * Long enough for a password manager that asks its owner first; short enough to notice a pipe that
 * nobody writes to.
 */
const silenceSeconds = 30;

/** A mistyped command: exit code 2. `message` names the flag. */
function usageError(message: string, cause?: unknown): AppError {
  return new AppError("INVALID_REQUEST", message, { cause });
}

/** `given`, or a person's answer; a usage error without a terminal. */
export async function askUnlessGiven(
  io: Io,
  value: string | undefined,
  { flag, question, otherwise, problem }: Wanted,
): Promise<string> {
  if (value !== undefined) return value;
  const meaning = flag.startsWith("--") ? "" : `: ${question}`;
  if (!canAsk(io)) throw usageError(`${flag} is missing${meaning}${otherwise ? `, or ${otherwise}` : ""}`);
  const { input } = await import("@inquirer/prompts");
  const validate = (answer: string): string | true => {
    const rule = problem?.(answer);
    return rule === undefined ? true : `Allowed: ${rule}.`;
  };
  return await input({ message: question, required: true, validate }, { input: io.stdin, output: io.stderr });
}

/** A secret from standard input: hidden while a person types, or else the whole pipe or file. */
export async function readSecret(io: Io, { flag, question }: Wanted): Promise<string> {
  if (!io.stdin.isTTY) return oneLine(await readAll(io, flag), flag, "standard input");
  if (!canAsk(io)) throw usageError(`${flag} is missing: standard input is a terminal, and no prompt is possible`);
  const { password } = await import("@inquirer/prompts");
  return oneLine(await password({ message: question }, { input: io.stdin, output: io.stderr }), flag, "the input");
}

/** `--yes`, or a person's consent; a usage error without a terminal. Throws CONFLICT for a no. */
export async function demandYes(io: Io, value: boolean | undefined, question: string): Promise<void> {
  if (value === true) return;
  if (!canAsk(io)) throw usageError(`--yes is missing, and no prompt is possible: ${question}`);
  const { confirm } = await import("@inquirer/prompts");
  if (!(await confirm({ message: question, default: false }, { input: io.stdin, output: io.stderr }))) {
    throw new AppError("CONFLICT", "Nothing was changed.");
  }
}

/** A secret from the file that `flag` names. */
export async function readSecretFile(io: Io, file: string, flag: string): Promise<string> {
  return oneLine(await readKeyFile(io, file, flag), flag, "the file");
}

/** The contents of the file that `flag` names, such as a key in PEM: at most `most` bytes. */
export async function readKeyFile(io: Io, file: string, flag: string, most = maxSecretBytes): Promise<string> {
  return await readFileOf(io, { file, flag, most }, (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

/** What `read` makes of the file that `flag` names. */
export async function readFileOf<Content>(
  io: Io,
  { file, flag, most }: { file: string; flag: string; most: number },
  read: (bytes: Buffer) => Content,
): Promise<Content> {
  try {
    const parts: Buffer[] = [];
    let size = 0;
    // A stream: a pipe that nobody writes to must not keep Ctrl-C from ending the command.
    for await (const part of createReadStream(resolve(io.cwd(), file)) as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > most) throw tooLarge(most);
      parts.push(part);
    }
    return read(Buffer.concat(parts));
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    // People sometimes paste the secret instead of its file's name, so the value is not repeated.
    const name = flag.startsWith("--") ? "the file" : `the file ${file}`;
    const reasons: Record<string, string> = {
      ENOENT: "does not exist",
      EFBIG: (cause as Error).message,
      ERR_ENCODING_INVALID_ENCODED_DATA: "is not UTF-8 text",
    };
    throw usageError(`${flag}: ${name} ${reasons[code] ?? `cannot be read (${code})`}`, cause);
  }
}

/** All of standard input, at most `most` characters. */
export async function readAll(io: Io, flag: string, most = maxSecretBytes): Promise<string> {
  const { stdin } = io;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  const silent = (): void =>
    void stdin.destroy(usageError(`${flag}: no input on standard input for ${silenceSeconds} s`));
  const timer = setTimeout(silent, silenceSeconds * 1000);
  try {
    for await (const chunk of stdin) {
      timer.refresh();
      text += decoder.decode(Buffer.from(chunk), { stream: true });
      if (text.length > most) throw usageError(`${flag}: more than ${most} characters on standard input`);
    }
    return text + decoder.decode();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw usageError(
      `${flag}: standard input ${cause instanceof TypeError ? "is not UTF-8 text" : "cannot be read"}`,
      cause,
    );
  } finally {
    clearTimeout(timer);
  }
}

function oneLine(text: string, flag: string, source: string): string {
  const line = text.replace(/^\uFEFF/, "").trim();
  if (line === "") throw usageError(`${flag} is missing: ${source} is empty`);
  if (/[\r\n]/.test(line)) throw usageError(`${flag}: ${source} has more than one line`);
  return line;
}
