import { connect } from "node:net";
import { expect } from "vitest";

type Odd = { method?: string; path?: string; lines?: string[]; host?: string[]; body?: string };

const long = (length: number): string => "a".repeat(length);
const json = "content-type: application/json";

/** What browsers, scanners and broken clients send; each for any path where none is said. */
const oddRequests: Record<string, Odd[]> = {
  "paths of slashes and dots": ["//", "///", "//x/..//", "/../../etc/passwd", "/a/../me", "/\\", "//[", "/?", "*"].map(
    (path) => ({ path }),
  ),
  "bad escapes": [
    "/%",
    "/%zz",
    "/%00",
    "/%ff%fe",
    "/%c0%ae%c0%ae/",
    "/me%2f",
    "/?%",
    "/sdk/missing.js",
    "/__proto__",
  ].map((path) => ({ path })),
  "absolute addresses": ["http://[/", "http://x/me", "http://x", "https://a:b@c/?d", "about:blank"].map((path) => ({
    path,
  })),
  "long addresses": [{ path: `/${long(12_000)}` }, { path: `/?${"a=1&".repeat(3000)}` }, { path: `/${long(100_000)}` }],
  "odd hosts": [[], [""], ["["], ["a b"], ["é"], ["x/me?"], ["me@x"], ["x:99999"], ["a", "b"], [long(5000)]].map(
    (host) => ({ host }),
  ),
  "parameters that come twice": [
    "/sign-in?returnTo=/a&returnTo=//b&acr=phr&acr=2&maxAge=-1&maxAge=x",
    "/login?to=/a&to=//b&state=&state",
    "/callback?code=a&code=b&state=c&state=d&sessionId=e&sessionId=f&error=&error=g",
    "/callback?code[]=a&state[]=b&sessionId[x]=c&__proto__[x]=1&state=%ff",
  ].map((path) => ({ path })),
  "bad cookies": [
    "=",
    ";;;",
    "a",
    "session=%; session=%zz",
    "__proto__=1; constructor=2",
    `session=${long(10_000)}`,
    "a=\u0000",
    "\u00a0session=\u00ff",
    ";".repeat(8000),
    "authsvc-AAAAAAAA-session=3.x; authsvc-AAAAAAAA-session.1=",
  ].flatMap((cookie) => ["/", "/me"].map((path) => ({ path, lines: [`cookie: ${cookie}`] }))),
  "credentials that are none": [
    "Bearer",
    "Bearer a b",
    `Bearer ${long(10_000)}`,
    "Bearer \u00ff",
    "bearer a.b.c",
    "DPoP x.y.z",
    "Basic %",
    "é",
  ].map((value) => ({ path: "/me", lines: [`authorization: ${value}`, "dpop: a", "dpop: b"] })),
  "other methods": ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY", "get"].flatMap(
    (method) => ["/", "/me", "/callback?state=a&sessionId=b", "/sign-out", "/logout"].map((path) => ({ method, path })),
  ),
  "big headers": [
    { lines: [`x-big: ${long(12_000)}`] },
    { lines: [`x-big: ${long(200_000)}`] },
    { lines: Array.from({ length: 500 }, (_, n) => `x-${n}: 1`) },
  ],
  "bad bodies": ["/", "/sign-out", "/logout", "/mcp"].flatMap((path) => [
    { method: "POST", path, lines: [json], body: "{" },
    { method: "POST", path, lines: [json], body: "[null, 1, {}, []]" },
    {
      method: "POST",
      path,
      lines: ["content-type: application/x-www-form-urlencoded"],
      body: "a=%&a[b]=%ff&__proto__=1",
    },
    { method: "POST", path, lines: [json, "content-encoding: gzip"], body: "no gzip" },
    { method: "POST", path, lines: ["origin: null", "content-type: ;"], body: "\u0000" },
  ]),
};

/** The status of the answer; 0 if the other end closed without one. */
async function statusOf(
  url: string,
  { method = "GET", path = "/", lines = [], host, body = "" }: Odd,
): Promise<number> {
  const { port, host: usual } = new URL(url);
  const hosts = (host ?? [usual]).map((each) => `host: ${each}`);
  const length = body === "" ? [] : [`content-length: ${Buffer.byteLength(body, "latin1")}`];
  const head = [`${method} ${path} HTTP/1.1`, ...hosts, ...lines, ...length, "connection: close"].join("\r\n");
  const text = await new Promise<string>((resolve) => {
    let received = "";
    const socket = connect({ port: Number(port), host: "localhost" });
    socket.on("data", (data) => (received += data.toString("latin1")));
    // It may close before everything is sent.
    socket.on("error", () => undefined);
    socket.once("close", () => resolve(received));
    socket.write(`${head}\r\n\r\n${body}`, "latin1");
  });
  return Number(/^HTTP\/1\.[01] (\d{3})/u.exec(text)?.[1] ?? 0);
}

/**
 * Sends an example all of this: it answers each, not with an error of its own, and then goes on.
 * `framework`: a status that its framework answers before the example is asked.
 */
export async function expectToStayUp(url: string, { probe = url, framework = 501 } = {}): Promise<void> {
  const before = (await fetch(probe)).status;
  for (const [what, requests] of Object.entries(oddRequests))
    for (const request of requests) {
      const status = await statusOf(url, request);
      const said = `${what}: ${JSON.stringify(request).slice(0, 200)} is answered by ${status}`;
      // 501 and 505: a method or a protocol that the server does not know.
      expect((status >= 200 && status < 500) || [501, 505, framework].includes(status), said).toBe(true);
    }
  expect((await fetch(probe)).status).toBe(before);
}
