import { once } from "node:events";
import { request } from "node:http";
import { beforeEach, describe, expect, test } from "vitest";
import { createStartLimit } from "../../packages/sdk/src/start-limit.ts";
import { toNextMinute } from "../support/limits.ts";
import { useService } from "../support/one-service.ts";
import { Visitor } from "../support/person.ts";
import { signIn, appServers, untilRedirect, userOf, type AppServer } from "./app-server.ts";

const contract = { authentication: 100, userManagement: 500, applicationManagement: 100, webhooks: 1000 };
const current = useService({ rateLimits: contract });
const start = appServers(current);
beforeEach(() => toNextMinute(current()));

/** Starts to sign in, as the proxy passes it on. */
async function startFrom({ url }: AppServer, forwardedFor: string) {
  const sent = request(`${url}/sign-in`, { headers: { "x-forwarded-for": forwardedFor } }).end();
  const [response] = await once(sent, "response");
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return {
    status: Number(response.statusCode),
    text,
    retryAfter: response.headers["retry-after"] as string | undefined,
  };
}

test("a visitor who starts many sign-ins gets a page that says so, and uses up nothing of others", async () => {
  const calls: string[] = [];
  const server = await start({
    async fetch(url, init) {
      calls.push(new URL(url).pathname);
      return await fetch(url, init);
    },
  });
  const signedIn = await signIn(server);
  toNextMinute(current());
  const coming = new Visitor();
  const { back } = await untilRedirect(server, coming);
  calls.splice(0);
  for (let n = 0; n < 150; n += 1) {
    const { status, text, retryAfter } = await startFrom(server, "203.0.113.66");
    if (n < 10) expect(status).toBe(303);
    else expect([status, text, retryAfter]).toEqual([429, expect.stringContaining("Wait a minute"), "60"]);
  }
  expect(calls.filter((path) => path === "/auth/initiate")).toHaveLength(10);
  // Enough for everybody else.
  for (let n = 0; n < 89; n += 1) expect((await startFrom(server, `198.51.100.${n}`)).status).toBe(303);
  expect((await coming.get(back)).status).toBe(303);
  current().clock.advance(15 * 60_000);
  expect(userOf(await signedIn.visitor.get(`${server.url}/me`))?.name).toBe("Ada");
  expect((await startFrom(server, "203.0.113.66")).status).toBe(303);
});

test("a link that a browser loads ahead of time counts for nobody", async () => {
  const server = await start({ trustedProxies: 0 });
  for (let n = 0; n < 20; n += 1)
    expect((await new Visitor().get(`${server.url}/sign-in`, { "sec-purpose": "prefetch" })).status).toBe(204);
  expect((await new Visitor().get(`${server.url}/sign-in`)).status).toBe(303);
});

describe("a visitor is", () => {
  type Call = [peer: string | undefined, forwardedFor: string | null];

  /** Whether the second call counts for the same visitor as ten of the first. */
  function isSame(trustedProxies: number | undefined, first: Call, second: Call): boolean {
    const count = createStartLimit(trustedProxies, () => 0);
    for (let n = 0; n < 10; n += 1) expect(count(...first)).toBe(undefined);
    return count(...second) !== undefined;
  }

  test.each<[what: string, trustedProxies: number | undefined, first: Call, second: Call]>([
    ["the address of the connection, whatever it claims", undefined, ["8.8.8.8", null], ["8.8.8.8", "1.1.1.1"]],
    ["the same, as IPv6", undefined, ["8.8.8.8", null], ["::ffff:8.8.8.8", null]],
    ["the same, in hexadecimal", undefined, ["8.8.8.8", null], ["::FFFF:808:808", null]],
    ["what a proxy of this machine says", undefined, ["127.0.0.1", "8.8.8.8"], ["::1", "1.1.1.1, 8.8.8.8"]],
    ["what a proxy of the network says", undefined, ["10.0.0.1", "8.8.8.8"], ["::ffff:172.31.0.1", "x,8.8.8.8"]],
    [
      "what a platform says that tells no connection",
      undefined,
      [undefined, "8.8.8.8"],
      [undefined, "1.1.1.1,8.8.8.8"],
    ],
    ["without the port that a proxy appends", 1, ["10.0.0.1", "8.8.8.8:1"], ["10.0.0.1", "8.8.8.8:2"]],
    ["without the port, of IPv6", 1, ["10.0.0.1", "[2600::1]:1"], ["10.0.0.1", "[2600::1]:2"]],
    ["a network of IPv6", 0, ["2600:0:0:1::1", null], ["2600::1:2:3:4:5", null]],
    [
      "what the first of two proxies says",
      2,
      ["10.0.0.1", "8.8.8.8, 9.9.9.9"],
      ["10.0.0.2", "1.1.1.1, 8.8.8.8, 9.9.9.8"],
    ],
    [
      "what a proxy says behind ten thousand claims",
      10,
      ["8.8.8.8", Array.from({ length: 10 }, () => "9.9.9.9").join()],
      ["8.8.8.8", `${"1.1.1.1,".repeat(10_000)}${Array.from({ length: 10 }, () => "9.9.9.9").join()}`],
    ],
    ["who goes around the second of two proxies", 2, ["8.8.8.8", null], ["8.8.8.8", null]],
    ["a private address, if no proxy is there", 0, ["10.0.0.1", null], ["10.0.0.1", "1.1.1.1"]],
  ])("%s", (_, trustedProxies, first, second) => {
    expect(isSame(trustedProxies, first, second)).toBe(true);
  });

  test.each<[what: string, trustedProxies: number | undefined, first: Call, second: Call]>([
    ["another address", undefined, ["8.8.8.8", null], ["8.8.4.4", null]],
    ["another one of the same proxy", undefined, ["127.0.0.1", "8.8.8.8"], ["127.0.0.1", "8.8.4.4"]],
    ["another network of IPv6", 0, ["2600:0:0:1::1", null], ["2600:0:0:2::1", null]],
    ["anybody, if a proxy tells no address", undefined, ["127.0.0.1", null], ["127.0.0.1", null]],
    ["anybody, if a proxy tells what is none", 1, ["10.0.0.1", "unknown"], ["10.0.0.1", "unknown"]],
    ["anybody, if nothing tells an address", undefined, [undefined, null], [undefined, null]],
    ["anybody, if all have a private address", undefined, ["10.0.0.1", "192.168.0.1"], ["10.0.0.1", "192.168.0.1"]],
  ])("not %s", (_, trustedProxies, first, second) => {
    expect(isSame(trustedProxies, first, second)).toBe(false);
  });

  test("let in again after a minute, and not before, also if the clock is set back", () => {
    let now = 1_000_000;
    const count = createStartLimit(0, () => now);
    for (let n = 0; n < 10; n += 1) count("8.8.8.8", null);
    now += 59_999;
    expect(count("8.8.8.8", null)).toBe(1);
    now += 1;
    expect(count("8.8.8.8", null)).toBe(undefined);
    for (let n = 0; n < 10; n += 1) count("8.8.8.8", null);
    now -= 3_600_000;
    expect(count("8.8.8.8", null)).toBe(undefined);
  });

  test("forgotten after ten thousand others, so that memory is bounded", () => {
    const count = createStartLimit(0, () => 0);
    const others = (number: number) => {
      for (let n = 0; n < number; n += 1) count(`20.0.${n >> 8}.${n & 255}`, null);
    };
    for (let n = 0; n < 10; n += 1) count("8.8.8.8", null);
    others(9999);
    expect(count("8.8.8.8", null)).toBe(60);
    others(10_000);
    expect(count("8.8.8.8", null)).toBe(undefined);
  });
});
