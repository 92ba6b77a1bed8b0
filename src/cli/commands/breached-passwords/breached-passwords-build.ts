import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import { AppError } from "../../../lib/errors.ts";
import { makeBreachedFile } from "../../breached-files.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addBreachedPasswordsBuild(breached: CliCommand, cli: Cli): void {
  breached
    .command("build")
    .description("make the file from lines SHA1:count in any order, such as the list of Have I Been Pwned")
    .argument("[FILE]", "the file to make (default: passwords.breachedFile)")
    .option("--from <list>", "the list (default: standard input)")
    .examples(
      "authsvc breached-passwords build breached.bin --from pwned-passwords.txt",
      "zcat pwned-passwords.txt.gz | authsvc breached-passwords build breached.bin",
    )
    .action(async (argument: string | undefined, { from }: { from?: string }) => {
      const { stdin, cwd } = cli.io;
      if (from === undefined && stdin.isTTY)
        throw new AppError("INVALID_REQUEST", "--from is missing, and standard input is a terminal");
      await makeBreachedFile(cli, { argument, unit: "lines" }, async (path, { onProgress, signal }) => {
        const { buildBreachedFile } = await import("../../../credentials/passwords/breached/build.ts");
        const source =
          from === undefined ? stdin : createReadStream(resolve(cwd(), from), { highWaterMark: 1_048_576 });
        const chunks = named(addAbortSignal(signal, source as Readable), from ?? "standard input");
        return await buildBreachedFile(path, chunks, { now: Date.now(), onProgress });
      });
    });
}

async function* named(source: Readable, name: string): AsyncGenerator<Buffer> {
  try {
    yield* source as AsyncIterable<Buffer>;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    const problem = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new AppError("INVALID_REQUEST", `--from: ${name} ${problem}`, { cause: error });
  }
}
