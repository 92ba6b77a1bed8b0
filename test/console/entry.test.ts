import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { startConsole } from "../../src/console/local-console.ts";
import { openConsole } from "../support/console.ts";
import { useService } from "../support/one-service.ts";
import { Visitor } from "../support/person.ts";

const service = useService();
const minute = 60_000;

/** A console whose link nobody has used yet. */
async function freshConsole() {
  const operator = { actor: { kind: "cli", name: "test" }, role: "owner", name: "test", appId: undefined } as const;
  return await startConsole(service.server.app.ctx, { host: "127.0.0.1", port: 0, hosts: [], operator });
}

test("J5: the link of authsvc console lets one browser in, once", async () => {
  const console = await openConsole(service);
  expect((await console.get("/overview")).status).toBe(200);
  const second = await new Visitor().get(console.link);
  expect(second.status).toBe(403);
  expect(second.headers.getSetCookie()).toEqual([]);
});

test("J5: a stolen link lets nobody in after ten minutes", async () => {
  const [early, late] = [await freshConsole(), await freshConsole()];
  service.clock.advance(10 * minute - 1);
  expect((await new Visitor().get(early.link)).status).toBe(303);
  service.clock.advance(1);
  expect((await new Visitor().get(late.link)).status).toBe(403);
  await Promise.all([early.close(), late.close()]);
});

test("J5: a wrong link lets nobody in, and uses nothing up", async () => {
  const { link, close } = await freshConsole();
  expect((await new Visitor().get(`${link.slice(0, -1)}-`)).status).toBe(403);
  expect((await new Visitor().get(link)).status).toBe(303);
  await close();
});

test("J5: a program that only looks at the link does not use it up", async () => {
  const { link, close } = await freshConsole();
  expect((await new Visitor().get(link, { "sec-purpose": "prefetch" })).headers.getSetCookie()).toEqual([]);
  expect((await new Visitor().get(link)).status).toBe(303);
  await close();
});

test("J5: signing out ends the session", async () => {
  const console = await openConsole(service);
  const before = console.visitor.copy();
  await console.submit(await console.get("/overview"), "/sign-out");
  expect((await before.get(`${console.url}/console/overview`)).status).toBe(403);
});

test("J5: neither the list of processes nor the temporary folder tells other users the link", async () => {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const told = join(folder, "told");
  // Stands in for the desktop's program, which gets its arguments where every user can read them.
  for (const name of ["xdg-open", "open"])
    writeFileSync(join(folder, name), `#!/bin/sh\necho "$*" > ${told}.new && mv ${told}.new ${told}\n`, {
      mode: 0o700,
    });
  const { link, openBrowser, close } = await freshConsole();
  const path = process.env["PATH"] ?? "";
  process.env["PATH"] = `${folder}:${path}`;
  openBrowser();
  process.env["PATH"] = path;
  await expect.poll(() => existsSync(told)).toBe(true);
  const page = fileURLToPath(readFileSync(told, "utf8").trim());
  expect(readFileSync(told, "utf8")).not.toContain(new URL(link).searchParams.get("token"));
  expect(readFileSync(page, "utf8")).toContain(link);
  expect(statSync(dirname(page)).mode & 0o077).toBe(0);
  expect(statSync(page).mode & 0o077).toBe(0);
  await close();
  expect(existsSync(page)).toBe(false);
});

test("ends an hour after the last page", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const console = await freshConsole();
  let isOver = false;
  void console.unused.then(() => (isOver = true));
  const visitor = new Visitor();
  await visitor.get(console.link);
  const look = async (minutes: number): Promise<boolean> => {
    service.clock.advance(minutes * minute);
    await vi.advanceTimersByTimeAsync(minute);
    return isOver;
  };
  expect(await look(59)).toBe(false);
  expect((await visitor.get(new URL("/console/keys", console.link).href)).status).toBe(200);
  expect(await look(59)).toBe(false);
  // A live page asks by itself: that is no use.
  const byItself = { "sec-fetch-dest": "empty", "x-console-live": "yes" };
  expect((await visitor.get(new URL("/console/overview", console.link).href, byItself)).status).toBe(200);
  expect(await look(1)).toBe(true);
  await console.close();
});

test("with --app, no other application is found", async () => {
  const { id: appId } = await service.createApp();
  const { id: other } = await service.createApp();
  const console = await openConsole(service, { appId });
  expect((await console.get(`/overview?app=${other}`)).status).toBe(404);
  expect((await console.get(`/overview?app=${appId}`)).status).toBe(200);
});
