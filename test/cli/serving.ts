import { afterEach } from "vitest";
import { emptyFolder, outputOf, start } from "./command.ts";

const listening = /^listening on (http:\/\/\S+)\n/;
const env = { AUTHSVC_PASSWORDS__MEMORY_KIB: "8", AUTHSVC_PASSWORDS__ITERATIONS: "1" };

type Child = ReturnType<typeof start>;

/** Starts `serve` in processes of their own, which end with the test. */
export function servingProcesses() {
  const started: Child[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill("SIGKILL");
  });
  return {
    serve(args: string[], cwd = emptyFolder(), more: Record<string, string> = {}): Child {
      const child = start(["serve", ...args], { cwd, env: { ...env, ...more } });
      started.push(child);
      return child;
    },
    addressOf: async (child: Child): Promise<string> => listening.exec(await outputOf(child, listening))?.[1] ?? "",
  };
}
