import { join } from "node:path";

/** Set by vitest.config.ts for the project `executable`. */
const built = process.env["AUTHSVC_TEST_EXECUTABLE"];

/**
 * Whether the tests of the command line run the file that `npm run build` makes, and not the
 * sources.
 */
export const isBuilt = built !== undefined;

/** What starts authsvc, as an argument list: the sources in this Node, or the one file. */
export const program: [string, ...string[]] =
  built === undefined ? [process.execPath, join(import.meta.dirname, "../../bin/authsvc.ts")] : [built];

/** The same for a shell. */
export const shellProgram = program.map((word) => `'${word}'`).join(" ");

/**
 * As little environment as starting takes. The one file takes none: it finds nothing by PATH, and
 * owns no home.
 */
export function barestEnvironment(cwd: string): NodeJS.ProcessEnv {
  if (isBuilt) return { PATH: "", HOME: "" };
  return { PATH: process.env["PATH"], HOME: cwd, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
}
