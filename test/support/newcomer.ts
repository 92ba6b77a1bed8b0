import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { outputOf } from "../cli/command.ts";
import { root } from "../docs/pages.ts";
import { noBareRoot } from "./bare-root.ts";
import { signedUp } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

/** A machine on which somebody begins, with an empty home and no privileges. */
export type Machine = {
  title: string;
  /** Why it cannot be used here. */
  missing?: string;
  /** The home, as this process sees it. */
  home: string;
  /** Starts a shell command in the clone. `kill` of its process ends everything that it started. */
  start(script: string, env?: Record<string, string>): ChildProcessWithoutNullStreams;
};

/** Of ada in the roots of .ci/roots; of nobody special here. */
const user = 1000;

/** What a network of its own needs, as that of CI: its authority, a proxy, another registry. */
const certificates = process.env["NODE_EXTRA_CA_CERTS"];
const ofNetwork = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(?:https?_proxy|no_proxy|npm_config_registry)$/iu.test(name)),
) as Record<string, string>;

/** This machine without the project's Node and programs. */
export const pathHere = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

/** Another user of this machine, if root runs the tests. */
export function thisMachine(home: string): Machine {
  const isRoot = process.getuid?.() === 0;
  return {
    title: "this machine",
    home,
    start: (script, env = {}) =>
      spawn("bash", ["-ec", script], {
        cwd: join(home, "authsvc"),
        env: {
          ...ofNetwork,
          ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }),
          PATH: pathHere,
          HOME: home,
          ...env,
        },
        detached: true,
        ...(isRoot && { uid: user, gid: user }),
      }),
  };
}

/** A root that .ci/roots made, with the mounts of a machine, in namespaces of its own. */
export function debian(name: string, title: string): Machine {
  const folder = join(root, "build/roots", name);
  const isMade = existsSync(join(folder, "made"));
  const missing =
    noBareRoot() ?? (isMade ? undefined : `there is no root of ${title.split(" with")[0]} here (.ci/roots)`);
  const mounts = `mount -t proc proc ${folder}/proc && mount -t tmpfs tmpfs ${folder}/tmp &&
    mkdir -p ${folder}/dev/shm && mount -t tmpfs tmpfs ${folder}/dev/shm &&
    exec chroot --userspec=${user}:${user} ${folder} "$@"`;
  return {
    title,
    missing,
    home: join(folder, "home/ada"),
    start(script, env = {}) {
      if (certificates !== undefined) copyFileSync(certificates, join(folder, "etc/authority.pem"));
      const variables = {
        ...ofNetwork,
        ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: "/etc/authority.pem" }),
        PATH: "/usr/local/bin:/usr/bin:/bin",
        HOME: "/home/ada",
        ...env,
      };
      const words = Object.entries(variables).map(([key, value]) => `${key}=${value}`);
      const inside = ["env", "-i", ...words, "bash", "-ec", `cd ~/authsvc; ${script}`];
      const unshared = ["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", mounts, "sh", ...inside];
      return spawn("unshare", unshared, { cwd: "/", env: { PATH: process.env["PATH"] }, detached: true });
    },
  };
}

/** A clone as it would be of what is here now, and an empty cache. */
export function cloneTo({ home }: Machine): void {
  for (const name of ["authsvc", ".npm"]) rmSync(join(home, name), { recursive: true, force: true });
  const clone = join(home, "authsvc");
  mkdirSync(clone, { recursive: true });
  chmodSync(home, 0o755);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: clone, stdio: "pipe" });
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  const present = files
    .toString()
    .split("\0")
    .filter((file) => file !== "" && existsSync(join(root, file)));
  for (const file of present) {
    mkdirSync(join(clone, file, ".."), { recursive: true });
    copyFileSync(join(root, file), join(clone, file));
  }
  git("init", "--quiet");
  git("add", "--all");
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
  git(...author, "commit", "--quiet", "--message", "A clone");
  if (process.getuid?.() === 0) execFileSync("chown", ["-R", `${user}:${user}`, home]);
}

/** Runs a block, and signs somebody up at the service that it starts. */
export async function expectSignUp(
  newcomer: Machine,
  script: string,
  more: Record<string, string> = {},
): Promise<void> {
  const shell = newcomer.start(script, { AUTHSVC_LISTEN__PORT: "0", ...more });
  onTestFinished(async () => await groupEnded(shell));
  const said = await outputOf(shell, /^AUTHSVC_COOKIE_SECRET=.+$/mu);
  const shown = (pattern: RegExp): string => pattern.exec(said)?.[1] ?? "";
  const id = shown(/^AUTHSVC_APP_ID=(.+)$/mu);
  const apiKey = shown(/^AUTHSVC_API_KEY=(.+)$/mu);
  const url = shown(/^listening on (.+)$/mu);
  const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": id };
  const app: TestApp = { id, apiKey, redirectUri: `${url}/dev/demo/callback`, headers };
  expect((await signedUp({ url } as TestService, app)).accessToken).not.toBe("");
  await groupEnded(shell);
}

/** Ends a shell and everything that it started. */
export async function groupEnded(child: ChildProcessWithoutNullStreams): Promise<void> {
  // Its group may still have a member that process 1 has not waited for.
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    process.kill(-(child.pid ?? 0), "SIGKILL");
  } catch {
    // It has ended.
    return;
  }
  await ended;
}
