import { expect, test, vi } from "vitest";
import { useService } from "../support/one-service.ts";
import { Visitor } from "../support/person.ts";
import { signIn, appServers, untilRedirect, userOf } from "./app-server.ts";

const current = useService();
const start = appServers(current);

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
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/at 127\.0\.0\.1:\d+, .+--add-redirect-uri URL$/u)]]);
  warn.mockRestore();
  expect(userOf(await visitor.get(`${server.url}/me`))?.name).toBe("Ada");
});

test("applications on several ports of one host, whose cookies browsers share, leave each other's alone", async () => {
  const first = await start();
  const second = await start({ cookieSecret: "another secret of 32 characters or more" });
  const visitor = new Visitor();
  const { back } = await untilRedirect(first, visitor);
  // Sign-ins that were begun and left at the second one do not displace that of the first.
  for (let times = 0; times < 6; times += 1) await visitor.get(`${second.url}/sign-in`);
  await visitor.get(back);
  const { email } = await signIn(second, visitor);
  const users = async () => [userOf(await visitor.get(first.url)), userOf(await visitor.get(second.url))];
  expect(await users()).toMatchObject([{ claims: { aud: first.app.id } }, { email, claims: { aud: second.app.id } }]);
  await visitor.post(`${second.url}/sign-out`, {});
  expect(await users()).toMatchObject([{ claims: { aud: first.app.id } }, null]);
});
