import { afterEach, expect, test, vi } from "vitest";
import type { HandlerOptions } from "../../packages/sdk/src/handler.ts";
import { useService } from "../support/one-service.ts";
import { signIn, startAppServer, userOf, type AppServer } from "./app-server.ts";

const current = useService();
const servers: AppServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop();
});

async function start(options: HandlerOptions = {}, otherRedirectUris: string[] = []): Promise<AppServer> {
  const server = await startAppServer(current(), options, otherRedirectUris);
  servers.push(server);
  return server;
}

test("a host without a redirect URI signs nobody in: the visitor gets 400, the operator the reason", async () => {
  const server = await start({}, ["https://app.example/callback"]);
  const { visitor } = await signIn(server);
  expect(userOf(await visitor.get(`${server.url}/me`))?.name).toBe("Ada");
  const elsewhere = server.url.replace("localhost", "127.0.0.1");
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  expect(userOf(await visitor.get(elsewhere))).toBe(null);
  const refused = await visitor.get(`${elsewhere}/sign-in`);
  expect([refused.status, refused.text.includes("does not work at this address")]).toEqual([400, true]);
  expect((await visitor.post(`${elsewhere}/sign-out`, {})).status).toBe(400);
  // Whatever hosts visitors name, it is one line a minute.
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/127\.0\.0\.1:\d+, .+--add-redirect-uri URL$/u)]]);
  warn.mockRestore();
  expect(userOf(await visitor.get(`${server.url}/me`))?.name).toBe("Ada");
});
