import { Readable, Writable } from "node:stream";
import { run } from "../../src/cli/run.ts";
import type { Io } from "../../src/cli/io.ts";
import { isBuilt } from "../support/program.ts";
import { authsvc as startProcess, type Finished } from "./command.ts";

/** `columns`: stdout is a terminal of this width. */
type Surroundings = { cwd: string; env?: Record<string, string>; input?: string | Buffer; columns?: number };

/** Cheap password hashes: what is tested is not how dear they are. */
const cheapHashes = { AUTHSVC_PASSWORDS__MEMORY_KIB: "8", AUTHSVC_PASSWORDS__ITERATIONS: "1" };

/**
 * Runs one command line inside of this process, a tenth of what starting one costs; what only a
 * process of its own shows is tested with `command.ts`. The built executable cannot be run inside
 * of another process, and is started.
 */
export async function authsvc(args: string[], { cwd, env = {}, input = "", columns }: Surroundings): Promise<Finished> {
  // A start that is refused hashes nothing, and its log would warn of cheap hashes.
  const cheapEnv = args[0] === "serve" ? env : { ...cheapHashes, ...env };
  if (isBuilt) return await startProcess(args, { cwd, env: cheapEnv, input });
  const exited = Promise.withResolvers<Finished>();
  const stdout = Object.assign(new Sink(), columns === undefined ? {} : { isTTY: true, columns });
  const stderr = new Sink();
  const io = {
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
    env: cheapEnv,
    cwd: () => cwd,
    on: () => io,
    off: () => io,
    exit(code: number): never {
      // What it does afterwards it would not do in a process of its own.
      exited.resolve({ code, signal: null, stdout: stdout.text, stderr: stderr.text });
      throw new Error(`the command ended the process with ${code}`);
    },
  } as unknown as Io;
  const ran = run(["node", "authsvc", ...args], io).then((code) => ({
    code,
    signal: null,
    stdout: stdout.text,
    stderr: stderr.text,
  }));
  return await Promise.race([exited.promise, ran]);
}

/** The JSON document that a command prints; throws what it says when it fails. */
export async function answer(args: string[], surroundings: Surroundings): Promise<unknown> {
  const { code, stdout, stderr } = await authsvc([...args, "--json"], surroundings);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as unknown;
}

class Sink extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
