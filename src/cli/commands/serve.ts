import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import type { Config } from "../../config/config.ts";
import { AppError } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { RunningServer } from "../../server.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { facts } from "../text.ts";

type Flags = { dev?: boolean; host?: string; port?: string };

/** Under the ten seconds after which a supervisor may kill. */
const drainMilliseconds = 9000;

export function addServe(program: Command, cli: Cli): void {
  const command = program
    .command("serve")
    .description("run the service")
    .option("--dev", "development mode: this machine only, with a demo application and page")
    .option("--host <address>", "address to listen on")
    .option("--port <number>", "port to listen on; 0 picks a free one");
  examples(command, ["authsvc serve --dev", "authsvc serve --config /etc/authsvc/config.yaml --port 8443"]).action(
    async (flags: Flags) => serve(cli, flags),
  );
}

async function serve(cli: Cli, flags: Flags): Promise<void> {
  const stopped = stopSignal(cli);
  const { config, warnings } = await cli.configure(flags);
  const { createLog } = await import("../../lib/log.ts");
  const log = createLog(config.log);
  for (const warning of warnings) log.warn(warning);
  const { startServer } = await import("../../server.ts");
  const server = await startServer(config, { log }).catch((error: unknown) => {
    throw listenFailure(error, config) ?? error;
  });
  await cli.result(
    { url: server.url, ...(server.metricsUrl === undefined ? {} : { metricsUrl: server.metricsUrl }), ...server.dev },
    `listening on ${server.url}\n${server.dev ? devText(server.dev) : ""}`,
  );
  if (server.metricsUrl !== undefined) log.info("metrics can be read", { url: server.metricsUrl });
  if (config.listen.tls) cli.io.on("SIGHUP", () => reload(server, log));
  await stopped;
  const drained = await Promise.race([
    server.close().then(() => true),
    pause(drainMilliseconds, false, { ref: false }),
  ]);
  if (!drained) log.warn("some calls were still running when the time to stop was over, and were cut off");
  // A connection that will not close must not keep the process: whoever sent the signal is waiting.
  cli.io.exit(exitCodes.done);
}

function reload(server: RunningServer, log: Log): void {
  try {
    server.reloadCertificate();
    log.info("the certificate was read again");
  } catch (error) {
    log.error("the certificate cannot be read again; the one before stays in use", error);
  }
}

/** Settles at the first SIGTERM or SIGINT, from now on; a second one ends the process at once. */
function stopSignal({ io, handleInterrupt }: Cli): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let seen = false;
  const onSignal = (): void => {
    if (seen) io.exit(exitCodes.interrupted);
    seen = true;
    resolve();
  };
  handleInterrupt(onSignal);
  io.on("SIGTERM", onSignal);
  return promise;
}

function devText({ appId, apiKey, demoUrl, mailUrl }: NonNullable<RunningServer["dev"]>): string {
  const mailbox: [string, string][] = mailUrl === undefined ? [] : [["Mailbox", mailUrl]];
  return `\n${facts([["App ID", appId], ["API key", apiKey], ...mailbox, ["Demo page", demoUrl]])}`;
}

/** Why the address cannot be listened on, named by the flag that changes it; `undefined` for any other failure. */
function listenFailure(error: unknown, { listen, metrics }: Config): AppError | undefined {
  if (metrics && portOf(error) === metrics.port && metrics.port !== listen.port)
    return listenReason(error, metrics, { host: "metrics.host", port: "metrics.port" });
  return listenReason(error, listen, { host: "--host", port: "--port" });
}

type Address = { host: string; port: number };

function listenReason(
  error: unknown,
  { host, port }: Address,
  name: { host: string; port: string },
): AppError | undefined {
  const reasons: Record<string, string> = {
    EADDRINUSE: `${name.port}: port ${port} on ${host} is in use by another program; choose another, or 0 for a free one`,
    EACCES: `${name.port}: this user may not listen on port ${port}; choose one above 1023`,
    EADDRNOTAVAIL: `${name.host}: ${host} is not an address of this machine`,
    ENOTFOUND: `${name.host}: ${host} is not a known host name`,
    EAI_AGAIN: `${name.host}: ${host} cannot be looked up`,
  };
  const reason = reasons[codeOf(error)];
  return reason === undefined ? undefined : new AppError("SERVER_ERROR", reason, { cause: error });
}

/** The port that could not be listened on. */
function portOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return "port" in error ? error.port : portOf(error.cause);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  // EACCES also comes from files; only a failed listen or look-up is about the address.
  const isNetwork =
    "syscall" in error && (error.syscall === "listen" || error.syscall === "getaddrinfo" || error.syscall === "bind");
  return isNetwork && "code" in error ? String(error.code) : codeOf(error.cause);
}
