import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { startMailServer } from "./mail-server.ts";
import { Names } from "./names.ts";
import { changesOf, postgresReader, sqliteReader, type Snapshot } from "./rows.ts";

export type Finished = { code: number; stdout: string; stderr: string };
export type Recording = Awaited<ReturnType<typeof startRecording>>;

const unlimited = "1000000";
const masterKey = hash("sha256", "recorder", "base64url");
const headersLeftOut = new Set([
  "date",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  // They depend on how many calls fell into a minute.
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
]);

/** A service of the checkout `root` on a new database, and everything that is done to it. */
export async function startRecording(root: string, databaseUrl: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), "recorder-"));
  // One for all recordings of this process: `clock.ts` keeps it open.
  const clockFile = (process.env["RECORDER_CLOCK"] ??= join(mkdtempSync(join(tmpdir(), "recorder-clock-")), "clock"));
  let now = 1_800_000_000_000;
  const setClock = (): void => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(now);
    writeFileSync(clockFile, bytes, { flag: "a+" });
    writeFileSync(clockFile, bytes, { flag: "r+" });
  };
  setClock();
  await import("./clock.ts");

  const lines: string[] = [];
  const log: string[] = [];
  const names = new Names();
  const nameOf = (id: string): string => names.nameOf(id);
  const mails: string[] = [];
  const mailServer = await startMailServer((mail) => mails.push(mail));
  const hooks: string[] = [];
  const receiver = createServer((request, answer) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      hooks.push(`webhook to ${request.url} ${request.headers["content-type"]} ${text}`);
      answer.writeHead(204).end();
    });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

  const port = await freePort();
  const consolePort = await freePort();
  const consoleUrl = `http://127.0.0.1:${consolePort}`;
  const url = `http://localhost:${port}`;
  const env: Record<string, string> = {
    AUTHSVC_DATA: join(folder, "data"),
    AUTHSVC_MASTER_KEY: masterKey,
    AUTHSVC_BASE_URL: url,
    AUTHSVC_LISTEN__PORT: String(port),
    AUTHSVC_PASSWORDS__MEMORY_KIB: "8",
    AUTHSVC_PASSWORDS__ITERATIONS: "1",
    AUTHSVC_PASSWORDS__ATTEMPTS_PER_MINUTE: unlimited,
    AUTHSVC_RATE_LIMITS__AUTHENTICATION: unlimited,
    AUTHSVC_RATE_LIMITS__USER_MANAGEMENT: unlimited,
    AUTHSVC_RATE_LIMITS__APPLICATION_MANAGEMENT: unlimited,
    AUTHSVC_RATE_LIMITS__WEBHOOKS: unlimited,
    AUTHSVC_WEBHOOKS__ALLOW_PRIVATE_NETWORKS: "true",
    AUTHSVC_MAIL__SMTP_URL: `smtp://127.0.0.1:${mailServer.port}?tls=none`,
    AUTHSVC_CONSOLE__LISTEN: `127.0.0.1:${consolePort}`,
    AUTHSVC_CONSOLE__BASE_URL: consoleUrl,
    AUTHSVC_MAIL__FROM: "auth@service.example",
    ...(databaseUrl === undefined ? {} : { AUTHSVC_DATABASE__URL: databaseUrl }),
  };
  nameOrigin(consoleUrl, "<console>");
  names.fix(url, "<origin>");
  names.fix(`localhost:${port}`, "<host>");
  names.fix(`127.0.0.1:${port}`, "<listener>");
  names.fix(receiverUrl, "<receiver>");
  names.fix(`127.0.0.1:${mailServer.port}`, "<mail port>");
  names.fix(folder, "<folder>");
  if (databaseUrl !== undefined) names.fix(databaseUrl, "<database>");

  /** The cookies of a console have its port in their names. */
  function nameOrigin(origin: string, name: string): void {
    const { port: own } = new URL(origin);
    names.fix(origin, name);
    names.fix(`authsvc-console-${own}`, "authsvc-console-<port>");
    names.fix(`authsvc-console-before-${own}`, "authsvc-console-before-<port>");
    names.fix(`authsvc-console-sign-in-${own}`, "authsvc-console-sign-in-<port>");
  }

  /** A process of the service that runs until the end; resolves with what it said that matches. */
  const started: ReturnType<typeof spawn>[] = [];
  async function start(args: string[], ready: RegExp): Promise<string> {
    const preload = pathToFileURL(join(import.meta.dirname, "clock.ts")).href;
    const child = spawn(process.execPath, ["--import", preload, join(root, "bin/authsvc.ts"), ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, RECORDER_CLOCK: clockFile, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    started.push(child);
    let said = "";
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      const found = ready.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}: ${said}`)));
    return await promise;
  }

  const { run } = (await import(pathToFileURL(join(root, "src/cli/run.ts")).href)) as {
    run(argv: string[], io: unknown): Promise<number>;
  };
  /** Runs a command inside of this process. */
  async function command(args: string[], input = ""): Promise<Finished> {
    const stdout = new Sink();
    const stderr = new Sink();
    const exited = Promise.withResolvers<number>();
    const io = {
      stdin: Readable.from([Buffer.from(input)]),
      stdout,
      stderr,
      env,
      cwd: () => folder,
      on: () => io,
      off: () => io,
      exit(code: number): never {
        exited.resolve(code);
        throw new Error("the end");
      },
    };
    const code = await Promise.race([exited.promise, run(["node", "authsvc", ...args], io)]);
    log.push(
      `$ authsvc ${args.join(" ")}`,
      `exit ${code}`,
      stdout.text,
      ...(stderr.text === "" ? [] : [`stderr: ${stderr.text}`]),
    );
    return { code, stdout: stdout.text, stderr: stderr.text };
  }

  const realFetch = globalThis.fetch;
  const watched = [url, consoleUrl];
  globalThis.fetch = async (input, init) => {
    const response = await realFetch(input, init);
    const address = input instanceof Request ? input.url : String(input);
    const own = watched.find((each) => address.startsWith(each));
    if (own === undefined) return response;
    const body = await response.clone().text();
    const sent =
      typeof init?.body === "string" || init?.body instanceof URLSearchParams ? ` ${init.body.toString()}` : "";
    const headers = [...response.headers]
      .filter(([name]) => !headersLeftOut.has(name))
      .map((each) => `  ${each.join(": ")}`);
    log.push(
      `> ${init?.method ?? "GET"} ${address.slice(own.length)}${sent}`,
      `< ${response.status}`,
      ...headers,
      body,
    );
    return response;
  };

  await start(["serve"], /listening on \S+/u);
  const reader =
    databaseUrl === undefined ? sqliteReader(join(folder, "data/authsvc.db")) : await postgresReader(databaseUrl);
  let before: Snapshot = await reader.snapshot();
  const failed: string[] = [];

  /** What is to be sent within a minute is sent at its time; a later retry is left. */
  async function untilSent(): Promise<void> {
    const giveUpAt = performance.now() + 20_000;
    for (;;) {
      const due = await reader.due();
      if (due === undefined || due > now + 60_000 || performance.now() > giveUpAt) return;
      if (due > now) {
        now = due;
        setClock();
      }
      await pause(20);
    }
  }

  return {
    root,
    url,
    consoleUrl,
    receiverUrl,
    folder,
    mails: mailServer,
    command,
    start,
    watch(origin: string, name: string): void {
      watched.push(origin);
      nameOrigin(origin, name);
    },
    failed,
    now: () => now,
    wait(milliseconds: number): void {
      now += milliseconds;
      setClock();
    },
    /** Does something, and records what was answered and what changed. */
    async act<T>(title: string, work: () => Promise<T>): Promise<T | undefined> {
      now += 1000;
      setClock();
      const began = performance.now();
      log.length = 0;
      let result: T | undefined;
      try {
        result = await work();
      } catch (error) {
        failed.push(title);
        log.push(`the recorder could not go on: ${error instanceof Error ? error.message : String(error)}`);
      }
      await untilSent();
      const after = await reader.snapshot();
      // Mails and webhooks arrive in no order.
      const sent = [...mails.splice(0).toSorted(), ...hooks.splice(0).toSorted()];
      const text = [...log, ...sent, ...changesOf(before, after, nameOf)].join("\n");
      before = after;
      if (process.env["RECORDER_SLOW"] !== undefined && performance.now() - began > 1000)
        process.stdout.write(`${Math.round(performance.now() - began)} ms: ${title}\n`);
      lines.push(`=== ${names.clean(title, now)}`, names.clean(text, now), "");
      return result;
    },
    async end(): Promise<string> {
      globalThis.fetch = realFetch;
      for (const child of started) {
        child.removeAllListeners("exit");
        // A console of its own may have ended by itself.
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        await ended;
      }
      // What is counted in memory and written from time to time.
      const left = changesOf(before, await reader.snapshot(), nameOf);
      lines.push("=== the service stops", names.clean(left.join("\n"), now), "");
      await reader.close();
      await mailServer.close();
      receiver.closeAllConnections();
      receiver.close();
      rmSync(folder, { recursive: true, force: true });
      return lines.join("\n");
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

class Sink extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
