/** Operators at a command line: the real commands, on the database of a node. */
import { readdirSync, readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { createCli, type GlobalFlags } from "../../src/cli/cli.ts";
import type { Io } from "../../src/cli/io.ts";
import { buildProgram, flagsOf } from "../../src/cli/program.ts";
import { reportOf } from "../../src/cli/report.ts";
import { Lost, type World } from "./world.ts";

/** `said`: what it printed with `--json`; `notes`: what it wrote beside that. */
export type Ended = { code: number; said: unknown; text: string; notes: string };

const sources = new URL("../../src/cli/", import.meta.url);

/** Commands import what they need when they run, which would take real time. */
async function load(): Promise<void> {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  for (const file of files) {
    const url = new URL(file, sources);
    for (const [, path = ""] of readFileSync(url, "utf8").matchAll(/import\("(\.[^"]+)"\)/gu))
      await import(new URL(path, url).href);
  }
}
await load();

class Sink extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** Runs it to its end with `--json` and `--yes`. Throws Lost if the database fails. */
export async function command(
  world: World,
  args: string[],
  input = "",
  env: Record<string, string> = {},
): Promise<Ended> {
  const [stdout, stderr] = [new Sink(), new Sink()];
  const io = {
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
    env,
    cwd: () => "/nowhere",
    on: () => io,
    off: () => io,
    exit: (code: number) => {
      throw new Error(`a command ended the process with ${code}`);
    },
  } as unknown as Io;
  const withApp: typeof cli.withApp = async (work) => await world.operate(work);
  const cli: ReturnType<typeof createCli> = {
    ...createCli(io, () => program.opts<GlobalFlags>()),
    withApp: async (work) => await withApp(work),
    withCore: async (work) => await withApp(work),
    ownPaths: async () => await Promise.resolve([]),
  };
  const argv = ["node", "authsvc", ...args, "--json", "--yes"];
  const program = buildProgram(cli, argv);
  world.note(`$ ${args.map((each) => each.replaceAll(/[a-z]{3}_\w{20,}/gu, "…")).join(" ")}`);
  let code: number;
  try {
    await program.parseAsync(argv);
    await cli.end();
    code = cli.exitCode();
  } catch (error) {
    if (error instanceof Lost) throw error;
    const { text, exitCode } = await reportOf(error, false, () => flagsOf(buildProgram(cli)));
    stderr.text += text;
    code = exitCode;
  }
  const { text } = stdout;
  // An export has a document in each line.
  const said: unknown = /^[[{]/u.test(text) && !text.includes("}\n{") ? JSON.parse(text) : {};
  world.note(`  ended with ${code}`);
  return { code, said, text, notes: stderr.text };
}
