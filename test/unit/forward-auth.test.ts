import { expect, it } from "vitest";
import { loginCookie, startCookie } from "../../src/forward-auth/cookies.ts";
import {
  browserOf,
  cameJustBack,
  startCookieIn,
  startCookieLine,
  startedCookie,
} from "../../src/forward-auth/start-cookie.ts";
import { navigationOf, type Navigation } from "../../src/forward-auth/navigation.ts";
import {
  addressOf,
  isInTime,
  maxStateCharacters,
  openLink,
  openState,
  sealLink,
  sealState,
  wayBackTo,
} from "../../src/sign-in/proxy/start-state.ts";
import { parseCookies } from "../../src/http/cookies.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { keyringOf } from "../support/keyring.ts";

const html = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";

const requests: [method: string, headers: Record<string, string>, Navigation][] = [
  ["GET", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }, "page"],
  ["HEAD", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }, "page"],
  ["GET", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }, "frame"],
  ["POST", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }, "frame"],
  ["GET", { "sec-fetch-mode": "navigate" }, "frame"],
  ["POST", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", accept: html }, "form"],
  ["PUT", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }, "none"],
  ["GET", { "sec-fetch-mode": "cors", accept: html }, "none"],
  ["GET", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }, "none"],
  ["GET", { "sec-fetch-mode": "websocket" }, "none"],
  ["GET", { accept: html }, "page"],
  ["HEAD", { accept: html }, "page"],
  ["GET", { accept: "application/json, TEXT/HTML ; q=0.1" }, "page"],
  ["GET", { accept: "text/html;q=0" }, "none"],
  ["GET", { accept: "text/html;q=0.000" }, "none"],
  ["GET", { accept: "text/*, */*" }, "none"],
  ["GET", {}, "none"],
  ["POST", { accept: html }, "none"],
  ["OPTIONS", { accept: html }, "none"],
  ["GET", { accept: html, "x-requested-with": "XMLHttpRequest" }, "none"],
  ["GET", { accept: html, "hx-request": "true" }, "none"],
  ["GET", { accept: html, "turbo-frame": "" }, "none"],
];

it.each(requests)("tells what a %s with %o is", (method, headers, navigation) => {
  expect(navigationOf(method, (name) => headers[name])).toBe(navigation);
});

const kept = [
  "/",
  "/a?b=c&d=%2Fe",
  "//other.example/x",
  "/\\other.example",
  "/@other.example",
  "/a b\u{e9}",
  "/.authsvcx",
];

it.each(kept)("keeps the way back to %j as it is", (path) => {
  expect(addressOf(wayBackTo("a.example", path))).toBe(`https://a.example${path}`);
});

const ours = ["/.authsvc", "/.authsvc/sign-out", "/a/../.authsvc/start", "/%2e/.authsvc/start?s=1", "/./.authsvc/", ""];

it.each([...ours, "*", "other.example/"])("returns to the program's start instead of %j", (path) => {
  expect(wayBackTo("a.example:8443", path)).toEqual({ host: "a.example:8443", path: "/", isTooLong: false });
});

const minute = 60_000;

function world() {
  const clock = { now: Date.now() };
  const ctx = { keyring: keyringOf(1), clock: () => clock.now, random: systemRandom };
  const way = wayBackTo("a.example", `/deep?link=${"x".repeat(4000)}`);
  return { clock, ctx, way };
}

it("gives up an address of more than 4 KiB, and one that is too long when sealed", () => {
  const { ctx } = world();
  expect(wayBackTo("a.example", `/${"x".repeat(4096)}`)).toMatchObject({ path: "/", isTooLong: true });
  const way = wayBackTo("a.example", `/${"\u{e9}".repeat(4095)}`);
  const state = sealState(ctx, { ...way, asksAgain: false, clientId: "cli_1", browser: "b" });
  expect(state.length).toBeLessThan(maxStateCharacters);
  expect(openState(ctx, state)).toMatchObject({ path: "/", isTooLong: true, host: "a.example" });
});

it("opens a state for a day, and lets a sign-in end with it for ten minutes", () => {
  const { clock, ctx, way } = world();
  const state = sealState(ctx, { ...way, asksAgain: true, clientId: "cli_1", browser: "b" });
  const opened = openState(ctx, state);
  expect(opened).toMatchObject({ ...way, asksAgain: true, clientId: "cli_1", browser: "b" });
  if (!opened) throw new Error("not opened");
  expect(isInTime(ctx, opened)).toBe(true);
  clock.now += 10 * minute;
  expect(isInTime(ctx, opened)).toBe(false);
  expect(openState(ctx, state)).toEqual(opened);
  clock.now += 24 * 60 * minute;
  expect(openState(ctx, state)).toBeUndefined();
});

it("opens nothing that it did not seal for this use", () => {
  const { ctx, way } = world();
  const link = sealLink(ctx, way);
  expect(openLink(ctx, link, "a.example")).toMatchObject({ ...way, asksAgain: false });
  expect(openLink(ctx, link, "b.example")).toBeUndefined();
  expect(openState(ctx, link)).toBeUndefined();
  const state = sealState(ctx, { ...way, asksAgain: false, clientId: "cli_1", browser: "b" });
  expect(openLink(ctx, state, "a.example")).toBeUndefined();
  for (const text of ["", "x", `${link}A`, link.slice(1), `B${link.slice(1)}`, "x".repeat(9000)])
    expect(openLink(ctx, text, "a.example"), text.slice(0, 20)).toBeUndefined();
  expect(openLink({ ...ctx, keyring: keyringOf(2) }, link, "a.example")).toBeUndefined();
});

it("names cookies by the port of their host", () => {
  expect(loginCookie("a.example")).toBe("__Host-authsvc-proxy");
  expect(loginCookie("a.example:8443")).toBe("__Host-authsvc-proxy-8443");
  expect(startCookie("a.example:8443")).toBe("__Host-authsvc-start-8443");
});

it("keeps one start cookie for all tabs, for ten minutes and one host", () => {
  const { clock, ctx } = world();
  const first = startedCookie(ctx, undefined);
  const [pair = ""] = startCookieLine(ctx, first, "a.example").split(";");
  const cookies = parseCookies(pair);
  const found = startCookieIn(ctx, cookies, "a.example");
  expect(found).toEqual(first);
  expect(pair.length).toBeLessThan(250);
  clock.now += minute;
  const second = startedCookie(ctx, found);
  expect([browserOf(second), second.at]).toEqual([browserOf(first), clock.now]);
  expect(startCookieIn(ctx, cookies, "b.example")).toBeUndefined();
  expect(startCookieIn(ctx, parseCookies(pair.replace("-start", "-start-8443")), "a.example")).toBeUndefined();
  clock.now += 9 * minute;
  expect(startCookieIn(ctx, cookies, "a.example")).toBeUndefined();
});

it("knows for ten seconds that a browser came back", () => {
  const at = Date.now();
  expect(cameJustBack({ value: "", callbackAt: 0, at }, at)).toBe(false);
  expect(cameJustBack({ value: "", callbackAt: at, at }, at + 9999)).toBe(true);
  expect(cameJustBack({ value: "", callbackAt: at, at }, at + 10_000)).toBe(false);
});
