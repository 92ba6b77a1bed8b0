/** The listener for reverse proxies gets anything: from clients, and from proxies set up wrong. */
import * as fc from "fast-check";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { loginCookie } from "../../../src/forward-auth/cookies.ts";
import { ownPaths } from "../../../src/forward-auth/own-paths.ts";
import { silentLog } from "../../../src/lib/silent-log.ts";
import { createProxy, forProxies, personAt, rawRequest } from "../../support/forward-auth.ts";
import { KeptConnection } from "../../support/kept-connection.ts";
import { describeOnSqlite, useApp } from "../../support/service.ts";
import { ascii, canary, chosen, encodeLoosely, headerText, text, type Chosen } from "../malformed/values.ts";

const seed = Number(process.env["AUTHSVC_FUZZ_SEED"] ?? (process.env["CI"] ? 20_261_130 : Date.now() % 1_000_000_000));
const inputs = Number(process.env["AUTHSVC_FUZZ_INPUTS"] ?? 600);

const mistakes: string[] = [];
const log = {
  ...silentLog,
  error: (message: string, error?: unknown) => void mistakes.push(`${message}: ${inspect(error)}`),
};

const doors = ["/forward-auth", "/forward-auth?cookie=1", "/auth-request"];
const pages = [...ownPaths.keys()];
const names = ["s", "state", "code", "account", "error", "token"];
const others =
  "Authorization Accept Accept-Language Origin Sec-Fetch-Mode Sec-Fetch-Dest Sec-Fetch-Site X-Requested-With Upgrade Expect Range If-None-Match Remote-User Remote_User X-Forwarded-For X-Forwarded-Uri X-Original-Url Content-Type Cookie Host".split(
    " ",
  );

const header = (right: number) => chosen(right, headerText);
const uri = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom("/", "/public", "/public/x?y", "/public/../x", "/publicity", "/a%2fb?c=%00"),
  },
  { weight: 1, arbitrary: headerText },
  { weight: 1, arbitrary: ascii.map((path) => `/public/${path}`) },
);
const input = fc.record({
  place: fc.oneof(fc.constantFrom(...doors), fc.constantFrom(...pages)),
  method: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.constantFrom("GET", "HEAD", "POST", "OPTIONS")),
  host: header(8),
  cookie: header(3),
  proto: header(12),
  verb: header(12),
  uri,
  more: fc.array(fc.tuple(fc.constantFrom(...others), headerText), { maxLength: 3 }),
  navigates: fc.boolean(),
  query: fc.array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 3 }),
  token: header(3),
  origin: header(6),
});

describeOnSqlite("the listener for proxies", { ...forProxies, surroundings: { log } }, (service) => {
  const app = useApp(service);

  test(`Y13: answers ${inputs} malformed inputs (seed ${seed}) with nothing but what was decided`, async () => {
    const place = await createProxy(service, app, { publicPaths: ["/public"] });
    const { host } = place;
    const url = service.server.forwardAuthUrl ?? "";
    const connection = new KeptConnection({ url });
    const signOut = "/.authsvc/sign-out";
    let cookie = "";
    let token = "";
    async function enter(): Promise<void> {
      ({ cookie } = await personAt(service, app, place));
      const page = await rawRequest(url, signOut, [
        ["Host", host],
        ["Cookie", cookie],
      ]);
      token = /name="token" value="([^"]*)"/u.exec(page.body)?.[1] ?? "";
      expect(token).not.toBe("");
    }
    await enter();
    const reached = new Set<string>();

    async function send(each: typeof input extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
      const value = (right: string, given: Chosen): [string] | [] =>
        "right" in given ? [right] : "text" in given ? [given.text] : [];
      const isDoor = doors.includes(each.place);
      const lines: [string, string][] = [];
      const add = (name: string, values: string[]): void =>
        void lines.push(...values.map((one): [string, string] => [name, one]));
      let method: string = each.method ?? "GET";
      let target = each.place;
      let body = "";
      add("Cookie", value(`a=b; ${cookie}`, each.cookie));
      if (!isDoor) {
        const [own = "", path = ""] = each.place.split(" ");
        method = each.method ?? own;
        const query = each.query.map(([name, given]) => `${name}=${encodeLoosely(given)}`).join("&");
        target = `${path}${query === "" ? "" : `?${query}`}`;
        add("Host", value(host, each.host));
        if (method === "POST") {
          add("Content-Type", ["application/x-www-form-urlencoded"]);
          add("Origin", value(`https://${host}`, each.origin));
          body = value(token, each.token)
            .map((one) => `token=${encodeLoosely(one)}`)
            .join("&");
        }
      } else add("Host", ["door"]);
      if (each.place === "/auth-request" || !isDoor) {
        add("X-Original-Method", value("GET", each.verb));
        add("X-Original-Url", value(`https://${host}${each.uri}`, each.proto));
      } else {
        add("X-Forwarded-Proto", value("https", each.proto));
        add("X-Forwarded-Host", value(host, each.host));
        add("X-Forwarded-Method", value("GET", each.verb));
        add("X-Forwarded-Uri", [each.uri]);
      }
      if (each.navigates) lines.push(["Sec-Fetch-Mode", "navigate"], ["Sec-Fetch-Dest", "document"]);
      lines.push(...each.more);
      if (body !== "" || method === "POST") add("Content-Length", [String(Buffer.byteLength(body))]);
      const bytes = Buffer.from(
        `${method} ${target} HTTP/1.1\r\n${lines.map(([name, one]) => `${name}: ${one}\r\n`).join("")}\r\n${body}`,
        "latin1",
      );
      const answer = await connection.exchange(bytes, method === "HEAD");
      const { status, headers } = answer;
      reached.add(`${each.place} ${status}`);
      const said = `${bytes.toString("latin1").slice(0, 1500)}\n---\n${status} ${JSON.stringify([...headers])}\n${answer.body.slice(0, 400)}`;
      expect(mistakes.splice(0), said).toEqual([]);
      expect(status >= 200 && status < 500, said).toBe(true);
      const isParsed = !(status === 400 && headers.get("connection") === "close") && status !== 431;
      if (isParsed) expect(headers.get("cache-control"), said).toMatch(/no-store|immutable/u);
      expect(headers.has("strict-transport-security"), said).toBe(false);
      for (const [name, given] of headers)
        expect(given.includes(canary) && !["authorization", "cookie"].includes(name), said).toBe(false);
      expect(answer.body.includes(`<${canary}`), said).toBe(false);
      const location = headers.get("location");
      if (location !== undefined)
        expect(
          [`https://${host}/`, `${service.url}/oauth2/authorize?`].some((start) => location.startsWith(start)),
          said,
        ).toBe(true);
      if (isDoor) {
        const isPublic = /^\/public(?:\/[\w.~!$&'()*+,=:@/-]*)?(?:\?|$)/u.test(each.uri.replace(/[ \t]+$/u, ""));
        const isIn = "right" in each.cookie || isPublic;
        if (status === 200) expect([isIn, headers.get("x-authsvc-decision")], said).toEqual([true, host]);
        else
          expect(
            headers.has("x-authsvc-decision") || [...headers.keys()].some((name) => name.startsWith("remote-")),
            said,
          ).toBe(false);
        expect(status === 200 || status >= 300, said).toBe(true);
        expect(headers.has("set-cookie"), said).toBe(false);
        return;
      }
      for (const line of [headers.get("set-cookie") ?? []].flat()) {
        expect(line, said).toMatch(/^__Host-authsvc-|=; Path=\/; Max-Age=0; Secure$/u);
        if (line.startsWith(`${loginCookie(host)}=;`) || line.includes("Max-Age=0")) {
          expect(["right" in each.token, "right" in each.cookie], said).toEqual([true, true]);
          await enter();
        }
      }
    }
    await fc.assert(fc.asyncProperty(input, send), { seed, numRuns: inputs, endOnFailure: true });
    connection.close();
    // Not all were turned away before anything was decided.
    expect([...reached].filter((kind) => kind.endsWith(" 200")).length).toBeGreaterThan(3);
  }, 120_000);
});
