import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { kill } from "node:process";
import { expect } from "vitest";
import { emptyFolder, outputOf } from "../cli/command.ts";
import { portsOf, processListeningOn } from "./listening-sockets.ts";

const calls = 20;

/**
 * Starts a service by a command line, sends it SIGUSR1, and looks whether a debugger listens and
 * the service still answers.
 */
export async function expectNoDebugger([file = "", ...args]: string[], env: Record<string, string> = {}) {
  const child: ChildProcessWithoutNullStreams = spawn(file, args, {
    cwd: new URL("../..", import.meta.url),
    // A group of its own: npm does not pass on signals to what it starts.
    detached: true,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      AUTHSVC_DATA: emptyFolder(),
      AUTHSVC_LISTEN__PORT: "0",
      ...env,
    },
  });
  try {
    const listening = /^listening on (\S+)$/mu;
    const url = new URL(listening.exec(await outputOf(child, listening))?.[1] ?? "");
    const pid = processListeningOn(Number(url.port));
    expect(portsOf(pid)).toEqual([Number(url.port)]);
    kill(pid, "SIGUSR1");
    // Node opens its debugger within one of them.
    for (let call = 0; call < calls; call += 1) expect((await fetch(new URL("/healthz", url))).status).toBe(200);
    expect(portsOf(pid)).toEqual([Number(url.port)]);
  } finally {
    const ended = new Promise((resolve) => child.once("close", resolve));
    if (child.pid !== undefined) kill(-child.pid, "SIGKILL");
    await ended;
  }
}
