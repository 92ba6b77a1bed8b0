import type { Command } from "commander";
import type { Config } from "../../config/config.ts";
import type { Cli } from "../cli.ts";
import { exitCodes } from "../exit-codes.ts";
import { examples } from "../examples.ts";

type Health = { ready: boolean; reason: string | null };

const patienceMilliseconds = 4000;

export function addHealth(program: Command, cli: Cli): void {
  const command = program.command("health").description("ask the service on this machine whether it is ready");
  examples(command, ["authsvc health", "authsvc health --config /etc/authsvc/config.yaml --quiet"]).action(async () => {
    const { config } = await cli.configure();
    const health = await ask(config);
    cli.endWith(health.ready ? exitCodes.done : exitCodes.failed);
    await cli.result(health, health.ready ? "ready\n" : `not ready: ${health.reason}\n`);
  });
}

/** GET /readyz of the service that this configuration would start. */
async function ask({ listen: { host, port, tls } }: Config): Promise<Health> {
  // Not by import(), which a command of the executable has for our own modules only.
  const { request } = tls ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");
  const { promise, resolve } = Promise.withResolvers<Health>();
  const address = { host: host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host, port, path: "/readyz" };
  // Its certificate is for the name that others know it by; nothing secret is sent or believed here.
  const asked = request({ ...address, rejectUnauthorized: false, timeout: patienceMilliseconds }, (response) => {
    const { statusCode } = response;
    resolve(statusCode === 200 ? { ready: true, reason: null } : { ready: false, reason: `status ${statusCode}` });
    response.destroy();
  });
  asked.on("timeout", () => asked.destroy(new Error("no answer in time")));
  asked.on("error", (error: NodeJS.ErrnoException) => resolve({ ready: false, reason: error.code ?? error.message }));
  asked.end();
  return await promise;
}
