/** What a command sees of its process; `process` itself is one. */
export type Io = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env" | "cwd" | "on" | "off" | "exit">;

/** Whether a person can be asked. Both ends must be a terminal: a prompt into a log file, or answered by a pipe, helps nobody. */
export function canAsk(io: Io): boolean {
  return io.stdin.isTTY && io.stderr.isTTY;
}

/** Writes all of `text`, and rejects when that fails (a full disk), except that a reader who left early (`| head`) is no failure. */
export async function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (error && !isClosedPipe(error)) reject(error);
      else resolve();
    });
  });
}

/** Failed writes are reported by `write`; without a listener the stream would also throw them at the process. */
export function ignoreStreamErrors({ stdout, stderr }: Io): void {
  for (const stream of [stdout, stderr]) stream.on("error", () => {});
}

function isClosedPipe(error: Error): boolean {
  return "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED");
}
