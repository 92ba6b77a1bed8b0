/** The parts of `process` that a command uses. */
export type Io = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env" | "cwd" | "on" | "off" | "exit">;

/**
 * Whether a person can be asked. Both ends must be a terminal: a prompt in a log file or answered
 * by a pipe is useless.
 */
export function canAsk(io: Io): boolean {
  return io.stdin.isTTY && io.stderr.isTTY;
}

/**
 * Writes all of `text`. Rejects on failure (such as a full disk), except if the reader has closed
 * the pipe (`| head`).
 */
export async function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (error && !isClosedPipe(error)) reject(error);
      else resolve();
    });
  });
}

/**
 * `write` reports failed writes; without a listener the stream would also throw them at the
 * process.
 */
export function ignoreStreamErrors({ stdout, stderr }: Io): void {
  for (const stream of [stdout, stderr]) stream.on("error", () => {});
}

function isClosedPipe(error: Error): boolean {
  return "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED");
}
