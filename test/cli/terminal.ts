import { spawn, spawnSync } from "node:child_process";
import { program } from "../support/program.ts";
import { emptyFolder } from "./command.ts";

// Node cannot make a terminal by itself; Python can. Waits for each text, then types the answer to it; prints what the terminal showed.
const terminal = `
import json, os, pty, select, sys, time
steps, command = json.loads(sys.argv[1]), sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    os.execv(command[0], command)
seen, said, end = b"", 0, time.time() + 50
while time.time() < end:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            chunk = os.read(fd, 4096)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    if said < len(steps) and steps[said][0].encode() in seen:
        time.sleep(0.1)
        os.write(fd, steps[said][1].encode())
        said += 1
else:
    os.kill(pid, 9)
status = os.waitpid(pid, 0)[1]
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "screen": seen.decode("utf-8", "replace")}))
`;
/** Whether this machine can make terminals. */
export const hasTerminal =
  process.platform !== "win32" &&
  spawnSync("python3", ["-c", "import pty, os; os.waitstatus_to_exitcode"]).status === 0;

/** Said of tests that are left out without one. */
export const noTerminal = "python3 makes no terminal here";

/** Runs a command line on a terminal, and types each answer when its question is shown. */
export async function onTerminal(
  args: string[],
  steps: [shown: string, typed: string][],
  cwd = emptyFolder(),
): Promise<{ code: number; screen: string }> {
  const child = spawn("python3", ["-c", terminal, JSON.stringify(steps), ...program, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd, TERM: "xterm" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.on("error", reject);
  child.on("close", () => resolve(said));
  return JSON.parse(await promise) as { code: number; screen: string };
}
