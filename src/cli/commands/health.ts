import type { Config } from "../../config/config.ts";
import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";

type Health = { ready: boolean; reason: string | null };

const patienceMilliseconds = 4000;
const maxBody = 4096;

export function addHealth(program: CliCommand, cli: Cli): void {
  program
    .command("health")
    .description("check whether the service on this machine is ready")
    .examples("authsvc health", "authsvc health --config /etc/authsvc/config.yaml --quiet")
    .action(async () => {
      const { config } = await cli.configure();
      const health = await ask(config);
      cli.endWith(health.ready ? exitCodes.done : exitCodes.failed);
      await cli.result(health, health.ready ? "ready\n" : `not ready: ${health.reason}\n`);
    });
}

/** GET /readyz of the service that this configuration would start. */
async function ask({ listen: { host, port, tls } }: Config): Promise<Health> {
  // Not by import(), which in the executable only finds our own modules.
  const { request } = tls ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");
  const { promise, resolve } = Promise.withResolvers<Health>();
  const address = { host: host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host, port, path: "/readyz" };
  // The certificate is for its public name; nothing secret is sent or trusted here.
  const asked = request({ ...address, rejectUnauthorized: false, timeout: patienceMilliseconds }, (response) => {
    const { statusCode } = response;
    if (statusCode === 200) {
      resolve({ ready: true, reason: null });
      response.destroy();
      return;
    }
    let body = "";
    response.setEncoding("utf8");
    response.on("data", (part: string) => {
      body += part;
      // Another program may be answering on this port.
      if (body.length > maxBody) response.destroy();
    });
    response.on("close", () => resolve({ ready: false, reason: degradedReason(body) ?? `status ${statusCode}` }));
  });
  asked.on("timeout", () => asked.destroy(new Error("timed out")));
  asked.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    const reason = `no response from ${address.host}, port ${port} (${code ?? message})`;
    resolve({ ready: false, reason });
  });
  asked.end();
  return await promise;
}

/** For a service that can read its database but not write it. */
function degradedReason(body: string): string | undefined {
  try {
    const { status, reason } = JSON.parse(body) as { status?: unknown; reason?: unknown };
    return status === "degraded" && typeof reason === "string" ? `degraded: ${reason}` : undefined;
  } catch {
    return undefined;
  }
}
