import { AppError } from "../../../lib/errors.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";

export function addClientCheck(client: CliCommand, cli: Cli): void {
  client
    .command("check")
    .description("ask each host of a client of kind proxy, signed out, whether its reverse proxy lets strangers in")
    .asks("[ID]", "Client ID")
    .option("--connect <host:port>", "connect to this address, whatever DNS says")
    .examples("authsvc client check files", "authsvc client check files --connect 127.0.0.1:443 --json")
    .withApp(async (ctx, id: string, { connect: text }: { connect?: string }) => {
      const [, host = "", port] = /^(\[[\da-f:]+\]|[^:\s]+):(\d{1,5})$/iu.exec(text ?? "") ?? [];
      if (text !== undefined && port === undefined)
        throw new AppError("INVALID_REQUEST", "--connect must be HOST:PORT, such as 127.0.0.1:443");
      const clients = await import("../../../applications/clients/service.ts");
      const { checkHost } = await import("../../../forward-auth/host-check.ts");
      const { hosts = [], kind } = await clients.get(ctx, id);
      if (kind !== "proxy")
        throw new AppError(
          "INVALID_REQUEST",
          `only clients of kind proxy have hosts to check; this one is of kind ${kind}`,
        );
      const at = port === undefined ? undefined : { host: host.replace(/^\[|\]$/gu, ""), port: Number(port) };
      const checked = await Promise.all(
        hosts.map(async (name) => ({ host: name, findings: await checkHost(name, at) })),
      );
      const isWell = checked.every(({ findings }) => findings.every(({ ok }) => ok));
      cli.endWith(isWell ? exitCodes.done : exitCodes.failed);
      const lines = checked.flatMap(({ host: name, findings }) => [
        name,
        ...findings.map(({ ok, check, text: said }) => `  ${ok ? "ok    " : "FAILED"}  ${check}: ${said}`),
      ]);
      await cli.result({ id, ok: isWell, hosts: checked }, `${lines.join("\n")}\n`);
    });
}
