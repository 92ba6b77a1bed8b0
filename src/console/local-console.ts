/** `authsvc console`: the console on this machine, for as long as the command runs. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as applications from "../applications/service.ts";
import { listen } from "../http/listener.ts";
import { hour, minute } from "../lib/clock.ts";
import { inUrl } from "../lib/loopback.ts";
import { html, render } from "../lib/html.ts";
import type { Context } from "../runtime/context.ts";
import { openLocalEntry } from "./entry/local-entry.ts";
import { consoleListener } from "./listener.ts";
import type { Operator } from "./operator.ts";

const endsUnusedAfter = hour;
const looksEvery = minute;
/** One browser, with its parallel requests. */
const maxConnections = 64;

export type LocalConsole = {
  /** With the token that admits one browser. */
  link: string;
  /** Opens the link in the browser of this desktop, without revealing it to other users. */
  openBrowser(): void;
  /** Resolves after an hour without a request. */
  unused: Promise<void>;
  close(): Promise<void>;
};

/** Throws APP_NOT_FOUND. Rejects with Node's error if it cannot listen. */
export async function startConsole(
  ctx: Context,
  address: { host: string; port: number; hosts: readonly string[]; operator: Omit<Operator, "isFresh"> },
): Promise<LocalConsole> {
  const { host, port, hosts, operator } = address;
  if (operator.appId !== undefined) await applications.get(ctx, operator.appId);
  let origin = "";
  const entry = openLocalEntry(ctx, operator, () => origin);
  const { clock, log } = ctx;
  const listener = await listen({ host, port, tls: undefined, maxConnections }, consoleListener(ctx, entry, hosts), {
    clock,
    log,
  });
  const isEveryAddress = ["0.0.0.0", "::"].includes(host);
  origin = `http://${isEveryAddress ? "127.0.0.1" : inUrl(host)}:${listener.port}`;
  const link = `${origin}${entry.linkPath}`;
  const { promise: unused, resolve } = Promise.withResolvers<void>();
  const looking = setInterval(() => {
    if (clock() - entry.lastUsed() >= endsUnusedAfter) resolve();
  }, looksEvery);
  let folder: string | undefined;
  return {
    link,
    openBrowser() {
      folder ??= mkdtempSync(join(tmpdir(), "authsvc-console-"));
      const page = join(folder, "open.html");
      writeFileSync(page, pageThatLeadsTo(link), { mode: 0o600 });
      open(pathToFileURL(page).href);
    },
    unused,
    async close() {
      clearInterval(looking);
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      await listener.close();
    },
  };
}

/**
 * Every user can see a program's arguments in the list of processes, but not the content of a file.
 */
function pageThatLeadsTo(link: string): string {
  return render(
    html`<!doctype html><meta charset="utf-8" /><meta name="referrer" content="no-referrer" /><meta
        http-equiv="refresh"
        content="0;url=${link}"
      /><a href="${link}">authsvc console</a>`,
  );
}

function open(url: string): void {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  // Without a browser to open, the printed link is enough.
  spawn(program, [url], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}
