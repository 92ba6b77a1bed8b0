import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { run } from "../../src/cli/run.ts";
import type { Io } from "../../src/cli/io.ts";

type Call = { args: string[]; cwd: string; env: Record<string, string>; input: string };
type Answer = { code: number; stdout: string; stderr: string };

/**
 * A real shell, in which `authsvc` is this process: a tenth of the time, and the pipes and
 * redirections are those of a shell.
 */
export type Shell = {
  run(script: string, surroundings: { cwd: string; env: Record<string, string> }): Promise<Answer>;
  close(): void;
};

/**
 * What a command may use besides authsvc: run for real where the machine has it, otherwise taken as
 * done.
 */
const tools = ["cat", "date", "echo", "printf", "chmod", "mkdir", "cp", "mv", "ls", "tr", "head", "sleep", "sh", "env"];
const toolsThatMayBeMissing = ["jq", "curl", "openssl", "sha256sum", "base64", "diff"];

/**
 * Of other programs it is only known that they are meant: what they do is not ours, and would
 * change this machine.
 */
const others = [
  "systemctl",
  "systemd-run",
  "systemd-creds",
  "systemd-sysusers",
  "dnf",
  "helm",
  "kubectl",
  "skopeo",
  "docker",
  "install",
  "litestream",
  "journalctl",
  "timedatectl",
  "apt-get",
  "sudo",
  "git",
  "tar",
  "npx",
  "brew",
];
/** Tested by running them elsewhere: test/docs/examples.test.ts. */
const languages = ["node", "python3", "go", "php"];

export async function startShell(): Promise<Shell> {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-shell-"));
  const bin = join(folder, "bin");
  const socket = join(folder, "socket");
  mkdirSync(bin);
  const shim = (name: string, text: string): void => writeFileSync(join(bin, name), text, { mode: 0o755 });

  writeFileSync(join(folder, "call.mjs"), client);
  // Runs authsvc, as root of a machine with systemd.
  shim("authsvcctl", `#!/bin/sh\nexec authsvc "$@"\n`);
  shim("authsvc", `#!/bin/sh\nexec '${process.execPath}' '${join(folder, "call.mjs")}' "$@"\n`);
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  shim("npm", npm(Object.keys(scripts)));
  for (const name of tools) symlinkSync(findProgram(name) ?? missing(name), join(bin, name));
  for (const name of toolsThatMayBeMissing) {
    const found = findProgram(name);
    if (found === undefined) shim(name, "#!/bin/sh\ncat > /dev/null\n");
    else symlinkSync(found, join(bin, name));
  }
  for (const name of [...others, ...languages]) shim(name, recognised);

  const server = createServer({ allowHalfOpen: true }, answer);
  server.listen(socket);
  const bash = findProgram("bash") ?? missing("bash");
  return {
    async run(script, { cwd, env }) {
      const child = spawn(bash, ["-eo", "pipefail", "-c", script], {
        cwd,
        env: { PATH: bin, HOME: cwd, DOCS_SOCKET: socket, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
      return await promise;
    },
    close() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What it is given of this repository must be there. */
const recognised = `#!/bin/sh
for word in "$@"; do
  case "$word" in
    docs/*|deploy/*) [ -e "${join(import.meta.dirname, "../..")}/$word" ] || { echo "there is no $word" >&2; exit 1; } ;;
  esac
done
`;

const client = `import { connect } from "node:net";
const input = [];
for await (const chunk of process.stdin) input.push(chunk);
const { DOCS_SOCKET, ...env } = process.env;
const call = { args: process.argv.slice(2), cwd: process.cwd(), env, input: Buffer.concat(input).toString("base64") };
const socket = connect(DOCS_SOCKET);
socket.end(JSON.stringify(call));
let text = "";
for await (const chunk of socket.setEncoding("utf8")) text += chunk;
const { code, stdout, stderr } = JSON.parse(text);
process.stdout.on("error", () => {}).write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
`;

/** `npm run authsvc -- …` is the program; of every other script it is checked that it exists. */
function npm(scripts: string[]): string {
  const known = scripts.join("|");
  return `#!/bin/bash
[ "$1" = run ] && shift
[ "$1" = --silent ] && shift
case "$1" in ci|install|pack) exit 0 ;; esac
[ "$1" = exec ] && { shift 2; exec "$@"; }
case "$1" in
  authsvc) shift; [ "$1" = -- ] && shift; exec authsvc "$@" ;;
  ${known}) exit 0 ;;
esac
echo "npm has no script $1" >&2
exit 1
`;
}

function answer(connection: Socket): void {
  let text = "";
  connection.setEncoding("utf8").on("data", (more: string) => (text += more));
  connection.on("end", () => {
    void runHere(JSON.parse(text) as Call).then((said) => connection.end(JSON.stringify(said)));
  });
}

class Sink extends Writable {
  text = "";
  onText: () => void = () => {};

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    this.onText();
    done();
  }
}

/**
 * What ends by itself is run to its end; what serves is stopped as soon as it does, and who follows
 * stops reading.
 */
async function runHere({ args, cwd, env, input }: Call): Promise<Answer> {
  const [stdout, stderr] = [new Sink(), new Sink()];
  const handlers = new Map<string, () => void>();
  let exited: number | undefined;
  const io = {
    stdin: Readable.from([Buffer.from(input, "base64")]),
    stdout,
    stderr,
    env,
    cwd: () => cwd,
    on(event: string, handler: () => void) {
      handlers.set(event, handler);
      return io;
    },
    off: () => io,
    exit(code: number): never {
      exited = code;
      throw new Error("ended");
    },
  } as unknown as Io;
  const serves = args[0] === "serve";
  const follows = args.includes("--follow");
  stdout.onText = () => {
    if (serves && stdout.text.includes("listening on")) handlers.get("SIGTERM")?.();
  };
  const leave = follows ? setInterval(() => stdout.emit("error", new Error("nobody reads")), 500) : undefined;
  const code = await run(["node", "authsvc", ...args], io);
  clearInterval(leave);
  return { code: exited ?? code, stdout: stdout.text, stderr: exited === undefined ? stderr.text : "" };
}

function findProgram(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

function missing(name: string): never {
  throw new Error(`there is no ${name} on this machine`);
}
