import { join } from "node:path";

/** Set by vitest.config.ts for the project `executable`. */
const built = process.env["AUTHSVC_TEST_EXECUTABLE"];

/**
 * Whether the tests of the command line run the file that `npm run build` makes, and not the
 * sources.
 */
export const isBuilt = built !== undefined;

const sources: [string, ...string[]] = [process.execPath, join(import.meta.dirname, "../../bin/authsvc.ts")];

/** What `npm run build` makes, where `executable-global-setup.ts` ran. */
export const executable = join(import.meta.dirname, "../../dist/authsvc");

/** What starts authsvc, as an argument list: the sources in this Node, or the one file. */
export const program: [string, ...string[]] = built === undefined ? sources : [built];

/**
 * What starts a service that is killed: the one file, in a sixth of the processor time. It ignores
 * the options of Node.
 */
export const servingProgram = (env: Record<string, string>): [string, ...string[]] =>
  env["NODE_OPTIONS"] === undefined ? [executable] : sources;

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
