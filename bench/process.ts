import { spawn, type ChildProcess } from "node:child_process";
import { openSync, readFileSync } from "node:fs";

/** A server in its own process, as in production. */
export type Running = {
  url: string;
  output: string;
  pid: number;
  readyMilliseconds: number;
  /** In 10^6 bytes. */
  residentMegabytes(): number;
  /** All threads, since the start. */
  processorSeconds(): number;
  stop(): Promise<void>;
};

/**
 * Starts a program, by default with this repository's Node, and waits for its URL. Its log goes to
 * `log`, because under load it would fill a terminal.
 */
export async function start(
  program: string[],
  environment: Record<string, string> = {},
  { command = process.execPath, log }: { command?: string; log?: string } = {},
): Promise<Running> {
  const errors = log === undefined ? "inherit" : openSync(log, "a");
  const began = performance.now();
  const child = spawn(command, program, { env: environment, stdio: ["ignore", "pipe", errors] });
  const { output, url } = await untilListening(child).catch((cause: unknown) => {
    throw log === undefined ? cause : new Error(`it did not start: ${readFileSync(log, "utf8")}`, { cause });
  });
  const readyMilliseconds = performance.now() - began;
  return {
    url,
    output,
    pid: child.pid ?? 0,
    readyMilliseconds,
    residentMegabytes: () =>
      (Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) * 1024) / 1e6,
    processorSeconds() {
      // After the name, which may contain anything: utime and stime are the 12th and 13th field, in
      // hundredths of a second.
      const [, fields = ""] = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ");
      const [user, system] = fields.split(" ").slice(11, 13).map(Number);
      return ((user ?? 0) + (system ?? 0)) / 100;
    },
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function untilListening(child: ChildProcess): Promise<{ output: string; url: string }> {
  let output = "";
  return await new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const url = /listening on (\S+)\n/u.exec(output)?.[1];
      // Includes what development mode prints in the same write.
      if (url !== undefined) resolve({ output, url });
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code} before it listened`)));
  });
}
