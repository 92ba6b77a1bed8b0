import { AppError } from "../../../lib/errors.ts";
import type { Context } from "../../../runtime/context.ts";
import type { Cli } from "../../cli.ts";
import { exitCodes } from "../../exit-codes.ts";

type Shown<Result> = {
  /** The result for people, if one user is named; of several, a line of each. */
  one(result: Result): string;
  line(id: string, result: Result): string;
};

/**
 * Does something to each of the named users. All are tried, and each has a line of its own, or is
 * in the list of --json; the exit code is that of the first who failed.
 */
export async function forEachUser<Result extends object>(
  cli: Cli,
  ctx: Context,
  named: readonly string[],
  act: (id: string) => Promise<Result>,
  { one, line }: Shown<Result>,
): Promise<void> {
  const { userIdOf } = await import("../../input/users.ts");
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) {
    const result = await act(await userIdOf(ctx, only));
    return await cli.result(result, one(result));
  }
  const { reportOf } = await import("../../report.ts");
  const results: Result[] = [];
  for (const [index, each] of named.entries())
    try {
      const id = await userIdOf(ctx, each);
      const result = await act(id);
      results.push(result);
      if (!cli.isJson()) await cli.result(result, line(id, result));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { text, exitCode } = await reportOf(error, false, () => []);
      // What is no id or address may be a secret in the wrong place.
      const who = each.startsWith("usr_") ? each : `user ${index + 1} of ${named.length}`;
      await cli.complain(text.replace("authsvc:", () => `authsvc: ${who}:`));
      if (cli.exitCode() === exitCodes.done) cli.endWith(exitCode);
    }
  if (cli.isJson()) await cli.result(results, "");
}
