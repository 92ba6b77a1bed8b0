import { isLoopbackHost } from "../../lib/loopback.ts";
import { commandActor, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { listenReason } from "../listen-reason.ts";
import { wholeNumberFrom } from "../input/values.ts";

type Flags = {
  port: number;
  host: string;
  allowedHost?: string[];
  readOnly?: boolean;
  app?: string;
  open: boolean;
};

const defaultPort = 9470;

export function addConsole(program: CliCommand, cli: Cli): void {
  program
    .command("console")
    .description(
      "open the console in a browser, on this machine only; it stops with Ctrl-C, or after an hour without use",
    )
    .option("--port <number>", `port to listen on; 0 picks a free one`, wholeNumberFrom(0, 65_535), defaultPort)
    .option("--read-only", "see everything, change nothing")
    .option("--app <id>", "only this application")
    .option("--no-open", "print the link, and do not open a browser")
    .option(
      "--host <address>",
      "address to listen on, for a container whose port is published to loopback",
      "127.0.0.1",
    )
    .option("--allowed-host <name...>", "accept this name in the Host header, in addition to those of this machine")
    .examples("authsvc console", "authsvc console --read-only --app app_shop --no-open")
    .withApp(async (ctx, { port, host, allowedHost = [], readOnly = false, app, open }: Flags) => {
      const { startConsole } = await import("../../console/local-console.ts");
      const actor = commandActor();
      const operator = { actor, role: readOnly ? "viewer" : "owner", name: actor.name, appId: app } as const;
      const console = await startConsole(ctx, { host, port, hosts: allowedHost, operator }).catch((error: unknown) => {
        throw listenReason(error, { host, port }, { host: "--host", port: "--port" }) ?? error;
      });
      try {
        await cli.result({ url: console.link }, `${console.link}\n`);
        await cli.note(
          "The link works once, for ten minutes. The console stops with Ctrl-C, or after an hour without use.",
        );
        if (!isLoopbackHost(host))
          await cli.note("The connection is not encrypted: publish the port to this machine only, or use a tunnel.");
        if (open && cli.screen().columns !== undefined) console.openBrowser();
        await Promise.race([console.unused, stopSignal(cli)]);
      } finally {
        await console.close();
      }
    });
}

/** Resolves at the first SIGTERM or SIGINT. */
function stopSignal({ io, handleInterrupt }: Cli): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  handleInterrupt(resolve);
  io.on("SIGTERM", resolve);
  return promise;
}
