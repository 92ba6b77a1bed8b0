import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { barestEnvironment, program } from "./program.ts";
import { until } from "./receiver.ts";
import { noProgram } from "./left-out.ts";

type Said = { ports?: number[]; says?: string; ended?: number };

/** Why there is no stand-in for systemd here; undefined if there is. */
export function whyNoSupervisor(): string | undefined {
  return noProgram("python3") ?? noProgram("systemd-notify");
}

/** `serve` as a child of a stand-in for systemd (supervisor.py), which ends with the test. */
export async function supervise(sockets: string[], { cwd, env }: { cwd: string; env?: Record<string, string> }) {
  const words = [join(import.meta.dirname, "supervisor.py"), sockets.join(","), ...program, "serve"];
  const settings = { AUTHSVC_DATA: cwd, AUTHSVC_PASSWORDS__MEMORY_KIB: "8", AUTHSVC_PASSWORDS__ITERATIONS: "1" };
  const { PATH } = process.env;
  const child = spawn("python3", words, {
    cwd,
    env: { ...barestEnvironment(cwd), PATH, HOME: cwd, ...settings, ...env },
  });
  onTestFinished(() => void child.stdin.end());
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const said: Said[] = [];
  createInterface(child.stdout).on("line", (line) => said.push(JSON.parse(line) as Said));
  await until(() => said[0]?.ports !== undefined);
  const states = (): string[] => said.flatMap(({ says }) => says ?? []);
  const endings = (): number[] => said.flatMap(({ ended }) => ended ?? []);
  return {
    ports: said[0]?.ports ?? [],
    log: () => log,
    /** What it has said so far, one text a message. */
    states,
    count: (state: string): number => states().filter((text) => text === state).length,
    /** Exit codes, or negative signals. */
    endings,
    /** `start`, or the name of a signal. */
    send: (what: string): void => void child.stdin.write(`${what}\n`),
  };
}
