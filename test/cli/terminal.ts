import { spawn, spawnSync } from "node:child_process";
import { barestEnvironment, program } from "../support/program.ts";
import { emptyFolder } from "./command.ts";

// Node cannot make a terminal by itself; Python can. Waits for each text (after what was shown when
// the last answer was typed), types the answer, and prints what the terminal showed.
const terminal = `
import fcntl, json, os, pty, select, struct, sys, termios, time
steps, columns, rows, command = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(command[0], command)
seen, said, start, end = b"", 0, 0, time.time() + 50
while time.time() < end:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            chunk = os.read(fd, 4096)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    if said < len(steps) and steps[said][0].encode() in seen[start:]:
        time.sleep(0.1)
        start = len(seen)
        os.write(fd, steps[said][1].encode())
        said += 1
else:
    os.kill(pid, 9)
status = os.waitpid(pid, 0)[1]
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "screen": seen.decode("utf-8", "replace")}))
`;
import { noProgram } from "../support/left-out.ts";
/** Whether this machine can make terminals. */
export const hasTerminal =
  process.platform !== "win32" &&
  spawnSync("python3", ["-c", "import pty, os; os.waitstatus_to_exitcode"]).status === 0;

/** Said of tests that are left out without one. */
export const noTerminal = noProgram("python3") ?? "python3 makes no terminal here";

type Step = [shown: string, typed: string];
type Shown = { code: number; screen: string };

/**
 * Runs a command line of authsvc on a terminal, and types each answer when its question is shown.
 */
export async function onTerminal(args: string[], steps: Step[], cwd = emptyFolder()): Promise<Shown> {
  return await programOnTerminal([...program, ...args], steps, { cwd });
}

/** The same with any program. */
export async function programOnTerminal(
  command: string[],
  steps: Step[],
  { cwd, env, columns = 80, rows = 50 }: { cwd: string; env?: Record<string, string>; columns?: number; rows?: number },
): Promise<Shown> {
  const child = spawn("python3", ["-c", terminal, JSON.stringify(steps), `${columns}`, `${rows}`, ...command], {
    cwd,
    env: { ...barestEnvironment(cwd), PATH: process.env["PATH"], HOME: cwd, TERM: "xterm", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.on("error", reject);
  child.on("close", () => resolve(said));
  return JSON.parse(await promise) as Shown;
}
