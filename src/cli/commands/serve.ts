import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../../config/config.ts";
import type { InheritedSockets } from "../../http/inherited-sockets.ts";
import { AppError } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { RunningServer } from "../../process/server.ts";
import { namingFlags, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { listenReason, portOf } from "../listen-reason.ts";
import { facts } from "../output/text.ts";
import type { Supervisor } from "../systemd.ts";

type Flags = { dev?: boolean; host?: string; port?: string; threads?: string; redirectUri?: string[] };

const maxNamed = 3;
const firstApplication = "authsvc app create --name NAME --redirect-uri URI";
/** Below the ten seconds after which a supervisor may kill the process. */
const drainMilliseconds = 9000;

export function addServe(program: CliCommand, cli: Cli): void {
  program
    .command("serve")
    .description("run the service")
    .option("--dev", "development mode: this machine only, with a demo application and page")
    .option(
      "--redirect-uri <uri...>",
      "add a redirect URI of your own application to the demo application; needs --dev; repeatable",
    )
    .option("--host <address>", "address to listen on")
    .option("--port <number>", "port to listen on; 0 picks a free one")
    .option("--threads <number>", "threads that serve HTTP, with SQLite on Linux; auto: half of the cores")
    .examples(
      "authsvc serve --dev --redirect-uri http://localhost:3000/callback",
      "authsvc serve --config /etc/authsvc/config.yaml --port 8443",
    )
    .action(async (flags: Flags) => serve(cli, flags));
}

async function serve(cli: Cli, flags: Flags): Promise<void> {
  const applications = await import("../../applications/service.ts");
  const { development: leftovers } = await import("../../upkeep/doctor/applications.ts");
  const redirectUris = flags.redirectUri ?? [];
  if (flags.dev !== true && redirectUris.length > 0)
    throw new AppError("INVALID_CONFIG", "--redirect-uri is for the demo application: use it with --dev");
  const stopped = stopSignal(cli);
  const { config, warnings, origins } = await cli.configure(flags);
  const { createLog } = await import("../../lib/log.ts");
  const log = createLog(config.log);
  for (const warning of warnings) log.warn(warning);
  const supervisor = await supervisorOf(cli, log);
  const inherited = await inheritedSockets(cli, config);
  const { startServerAlone } = await import("../../process/serving.ts");
  const server = await namingFlags({ redirectUris: "--redirect-uri" }, () =>
    startServerAlone(config, { log, redirectUris, inherited }).catch((error: unknown) => {
      throw listenFailure(error, config, origins) ?? error;
    }),
  );
  if (config.listen.tls) cli.io.on("SIGHUP", () => void reload(server, log, supervisor));
  // `systemctl reload` must not end it.
  else if (supervisor) cli.io.on("SIGHUP", () => log.info("nothing to reload: there is no certificate"));
  await supervisor?.ready();
  await watch(supervisor, server);
  const { url, metricsUrl, dev, app } = server;
  try {
    await cli.result(
      { url, ...(metricsUrl === undefined ? {} : { metricsUrl }), ...dev },
      `listening on ${url}\n${dev ? devText(dev) : ""}`,
    );
    if (cli.screen().columns !== undefined && !cli.isJson() && !cli.isQuiet())
      await cli.print(await startText(config, server));
    else if (!(await applications.isAnyUsable(app.ctx)))
      log.info("Nobody can sign in: there is no application yet.", { next: firstApplication });
    for (const { message, fix } of await leftovers(app.ctx)) log.warn(`${message} To remove it: ${fix}`);
  } catch (error) {
    // The service runs and must react to signals, even if this cannot be read or written.
    log.error("cannot say how it runs", error, { url });
  }
  if (metricsUrl !== undefined) log.info("serving metrics", { url: metricsUrl });
  await stopped;
  await supervisor?.stopping();
  const drained = await Promise.race([
    server.close().then(() => true),
    pause(drainMilliseconds, false, { ref: false }),
  ]);
  if (!drained) log.warn("the last writes timed out; refusals that were only counted may be lost");
  // A connection that does not close must not keep the process alive: the sender of the signal
  // waits.
  cli.io.exit(exitCodes.done);
}

/** Loaded only under systemd or a similar supervisor. */
async function supervisorOf({ io: { env } }: Cli, log: Log): Promise<Supervisor | undefined> {
  return env["NOTIFY_SOCKET"] === undefined ? undefined : (await import("../systemd.ts")).supervisorOf(env, log);
}

async function inheritedSockets({ io: { env } }: Cli, config: Config): Promise<InheritedSockets> {
  if (env["LISTEN_PID"] === undefined) return {};
  const { inheritedSockets: find } = await import("../../http/inherited-sockets.ts");
  const { listen, metrics, console, forwardAuth } = config;
  return find(env, { public: listen, metrics, console, "forward-auth": forwardAuth });
}

async function watch(supervisor: Supervisor | undefined, { app }: RunningServer): Promise<void> {
  if (!supervisor) return;
  const { patienceMilliseconds, within } = await import("../../metrics/watched.ts");
  const { storage } = app.ctx;
  // A PostgreSQL failure is not the process's, and a restart would not repair it.
  const ping = async (): Promise<void> => {
    await storage.ping().catch((error: unknown) => {
      if (!storage.isShared) throw error;
    });
  };
  supervisor.watch(async () => await within(patienceMilliseconds, ping()));
}

async function reload(server: RunningServer, log: Log, supervisor: Supervisor | undefined): Promise<void> {
  await supervisor?.reloading();
  try {
    server.reloadCertificate();
    log.info("certificate reloaded");
  } catch (error) {
    log.error("the certificate cannot be reloaded; the previous one stays in use", error);
  }
  await supervisor?.ready();
}

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
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

/** The start-up summary for people. */
async function startText(config: Config, { url, app, dev }: RunningServer): Promise<string> {
  const applications = await import("../../applications/service.ts");
  const baseUrl = config.baseUrl ?? url;
  const unused = dev ? undefined : (await applications.findDemoApp(app.ctx))?.id;
  const all = (await applications.list(app.ctx)).filter(({ id }) => id !== unused);
  const names = all.slice(0, maxNamed).map(({ name, id }) => `${name} (${id})`);
  const more = all.length > maxNamed ? [`${all.length - maxNamed} more`] : [];
  const noMail = dev?.mailUrl === undefined ? "off: set mail.smtpUrl to verify addresses" : `to ${dev.mailUrl}`;
  const about = facts([
    ["Base URL", baseUrl],
    ["Database", config.database.url === undefined ? `SQLite in ${config.dataDir}` : "PostgreSQL"],
    ["Mail", config.mail === undefined ? noMail : `by ${config.mail.server.host}`],
    ["Applications", [...names, ...more].join(", ") || "none yet"],
    ["Account page", `${baseUrl}/account?app_id=${all[0]?.id ?? "APPID"}`],
    ["API reference", `${baseUrl}/docs`],
  ]);
  const next = all.length === 0 ? firstApplication : "authsvc doctor";
  return `\n${about}\nNext, in another terminal: ${next}\n`;
}

function devText({ envText, devUrl, demoUrl, mailUrl, redirectUris }: NonNullable<RunningServer["dev"]>): string {
  const mailbox: [string, string][] = mailUrl === undefined ? [] : [["Mailbox", mailUrl]];
  const yours = [...new Set(redirectUris.map(startOf))].map((start): [string, string] => ["Your app", start]);
  const links = facts([["Overview", devUrl], ...mailbox, ["Demo page", demoUrl], ...yours]);
  const hint = "\nTo use your own application, add: --redirect-uri http://localhost:3000/callback\n";
  return `\nThe .env file of your application:\n\n${envText}\n${links}${yours.length === 0 ? hint : ""}`;
}

/** The origin of a redirect URI; of an installed app, the URI itself. */
function startOf(uri: string): string {
  const { origin } = new URL(uri);
  return origin === "null" ? uri : origin;
}

/** Why the service cannot listen, naming the setting to change; undefined for other failures. */
function listenFailure(
  error: unknown,
  { listen, metrics, console: team }: Config,
  origins: ReadonlyMap<string, string>,
): AppError | undefined {
  const named = (key: string, byDefault = key): string => origins.get(key) ?? byDefault;
  const isAbout = (other: { port: number } | undefined): boolean =>
    other !== undefined && portOf(error) === other.port && other.port !== listen.port;
  if (metrics && isAbout(metrics))
    return listenReason(error, metrics, { host: named("metrics.host"), port: named("metrics.port") });
  if (team && isAbout(team))
    return listenReason(error, team, { host: named("console.listen"), port: named("console.listen") });
  return listenReason(error, listen, {
    host: named("listen.host", "--host"),
    port: named("listen.port", "--port"),
  });
}
