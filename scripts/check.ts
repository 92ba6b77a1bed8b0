// `npm run check`: all checks of the sources that do not run the service. Runs all of them, then
// shows the failures.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "..");
const env = { ...process.env, NO_COLOR: "1" };

/** The name of each check, and its tool in node_modules/.bin. */
const checks: [name: string, tool: string, ...args: string[]][] = [
  ["lock file", "node", "scripts/complete-lock.ts", "--check"],
  ["format", "oxfmt", "--check"],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["types", "tsc"],
  ["types of the browser code", "tsc", "-p", "src/pages/client"],
  ["types of the browser code of development mode", "tsc", "-p", "src/dev/client"],
  ["types of the package", "tsc", "-p", "packages/sdk"],
  ["types of the package from the API", "node", "scripts/sdk-types.ts", "--check"],
  ["size and imports of the package", "node", "scripts/check-sdk.ts"],
  ["dead code", "knip", "--no-config-hints"],
  [
    "import rules, comments and words",
    "vitest",
    "run",
    "test/unit/import-rules.test.ts",
    "test/unit/comment-lines.test.ts",
    "test/unit/words.test.ts",
  ],
  ["security rules", "node", "scripts/security-rules.ts", "--check"],
  ["configuration page", "node", "scripts/configuration-page.ts", "--check"],
  ["settings page", "node", "scripts/settings-page.ts", "--check"],
];

let failures = 0;
for (const [name, tool, ...args] of checks) {
  const start = performance.now();
  const output = await outputOfFailure(tool, args);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${output === undefined ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  if (output === undefined) continue;
  failures += 1;
  console.log(output.trimEnd().replace(/^/gm, "  "));
}
console.log(failures === 0 ? "check: everything is fine" : `check: ${failures} of ${checks.length} failed`);
process.exitCode = failures === 0 ? 0 : 1;

/** Runs a tool; undefined if it succeeds, otherwise its output. */
async function outputOfFailure(tool: string, args: string[]): Promise<string | undefined> {
  try {
    await run(path.join(root, "node_modules", ".bin", tool), args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 });
    return undefined;
  } catch (error) {
    const { stdout = "", stderr = "", message = "" } = error as { stdout?: string; stderr?: string; message?: string };
    return stdout + stderr || message;
  }
}
