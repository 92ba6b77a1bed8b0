import { createCli, type GlobalFlags } from "./cli.ts";
import { ignoreStreamErrors, type Io } from "./io.ts";
import { buildProgram, flagsOf } from "./program.ts";
import { reportOf } from "./report.ts";

/** Runs one command line (`argv` as in `process.argv`) and returns its exit code. Never throws. */
export async function run(argv: string[], io: Io): Promise<number> {
  ignoreStreamErrors(io);
  const cli = createCli(io, () => program.opts<GlobalFlags>());
  const program = buildProgram(cli, argv);
  io.on("SIGINT", cli.interrupt);
  try {
    await program.parseAsync(withHelpFlag(argv));
    await cli.end();
    return cli.exitCode();
  } catch (error) {
    const { text, exitCode } = await reportOf(error, cli.debug(), () => flagsOf(buildProgram(cli)));
    // If standard error is closed, the exit code still reports it.
    await cli.complain(text).catch(() => {});
    return exitCode;
  } finally {
    io.off("SIGINT", cli.interrupt);
  }
}

/**
 * Rewrites `help user list` to `user list --help`: commander's own help command stops at `user`.
 */
function withHelpFlag(argv: string[]): string[] {
  const [node = "", script = "", first, ...path] = argv;
  return first === "help" && path.length > 1 ? [node, script, ...path, "--help"] : argv;
}
