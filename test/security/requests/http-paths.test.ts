import { routes } from "../../../src/routes.ts";
import { beforeAll, expect, it } from "vitest";
import { signedUp, type Tokens } from "../../support/person.ts";
import { isLongRun } from "../../support/long-run.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import { addressOf } from "../../support/routes.ts";
import { useApp, describeOnSqlite } from "../../support/service.ts";

const evil = "evil-host.example";

/** Spellings of a path that one layer might take for it and another not. */
function variants(path: string): string[] {
  const second = path.indexOf("/", 1);
  const [head, tail] = [path.slice(0, second), path.slice(second + 1)];
  const between = ["//", "/./", "%2f", "%2F", "%5c", "\\", ";x/", "/%c0%af", "/%u002f", "/x/../", "/%2e%2e/x/"];
  return [
    `/${path}`,
    `//${path}`,
    `${path}/`,
    `${path}//`,
    `/.${path}`,
    `/x/..${path}`,
    `/%2e${path}`,
    `/x/%2e%2e${path}`,
    `${path}/.`,
    `${path}/%2e`,
    `${path};x`,
    `${path};x=y`,
    `${path}%20`,
    `${path}%00`,
    `${path}%2f`,
    `${path}.json`,
    `${path}%3f`,
    `${path}%23`,
    `${path}%`,
    `${path}%zz`,
    `${path}%ff`,
    `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
    path.toUpperCase(),
    `http://${evil}${path}x`,
    ...(second === -1 ? [] : [...between.map((sign) => head + sign + tail), `${head.toUpperCase()}/${tail}`]),
  ];
}

/** Spellings that normalising (RFC 3986 §6.2.2, the URL Standard) makes this or another path. */
function changing(path: string): string[] {
  const before = ["/", "/.", "/x/..", "/x/../y/..", "/%2e", "/x/%2e%2e", "/x/.%2E", "/x/%2E.", "/\\..", "/x\\.."];
  const behind = ["//", "/.", "/..", "/%2e", "/%2E%2e/x/..", "\\", "/x\\..", "%2f..%2fx", "%5c..", "/../x?y"];
  return [
    ...before.map((sign) => sign + path),
    ...behind.map((sign) => path + sign),
    `http://${evil}/x/..${path}`,
    `${path}/x/../..${path}`,
  ];
}

/** A quarter of them for each route, another one for the next; `npm run test:long` tries all. */
function some(spellings: string[], nthRoute: number): string[] {
  return spellings.filter((_spelling, at) => isLongRun || (at + nthRoute) % 4 === 0);
}

describeOnSqlite("spellings of a path", (current) => {
  const app = useApp(current);
  let tokens: Tokens;
  beforeAll(async () => {
    tokens = await signedUp(current(), app);
  });

  it("Y3, CVE-2026-0976: every one, of every route, is unknown or is checked exactly like the path itself", async () => {
    const headers = { "content-type": "application/json" };
    const offenders: unknown[] = [];
    let taken = 0;
    for (const [nth, route] of routes.entries()) {
      const path = addressOf(route);
      const body = route.method === "GET" ? "" : "{}";
      const itself = summary(await sendUntidied(current(), route.method, path, headers, body));
      for (const variant of some(variants(path), nth)) {
        const answer = await sendUntidied(current(), route.method, variant, headers, body);
        const seen = summary(answer);
        if (JSON.stringify(seen) === JSON.stringify(itself)) taken += 1;
        else if (![400, 404].includes(answer.status) || answer.headers.location !== undefined)
          offenders.push([route.method, variant, seen, itself]);
        if (answer.text.includes("evil")) offenders.push([route.method, variant, "repeats what was sent"]);
      }
    }
    expect(offenders).toEqual([]);
    // Some spellings are the path: an escaped letter, another provider.
    expect(taken).toBeGreaterThan(0);
  });

  it("Y3: a path that changes when it is normalised is unknown, on every route and on pages", async () => {
    const offenders: unknown[] = [];
    for (const [nth, route] of [...routes, { method: "GET", path: "/nowhere" }].entries()) {
      const path = "answer" in route ? addressOf(route) : route.path;
      for (const variant of some(changing(path), nth)) {
        const { status, headers } = await sendUntidied(current(), route.method, variant, { accept: "text/html" });
        if (status !== 404 || headers.location !== undefined) offenders.push([route.method, variant, status]);
      }
    }
    expect(offenders).toEqual([]);
    const query = await sendUntidied(current(), "GET", "/healthz?a=/../b//c", {});
    expect(query.status).toBe(200);
  });

  it.each(variants("/auth/validate"))(
    "Y3, CVE-2026-33131: %s lets no bad token in, with a good one and a bad one alike",
    async (variant) => {
      const good = { "x-service-app-id": app.id, authorization: `Bearer ${tokens.accessToken}` };
      const withGood = await sendUntidied(current(), "GET", variant, good);
      const withBad = await sendUntidied(current(), "GET", variant, { ...good, authorization: "Bearer x" });
      expect([400, 401, 404]).toContain(withBad.status);
      // Where the path means something, the credentials decide; where it does not, they change
      // nothing.
      expect(withGood.status).toBe(withBad.status === 401 ? 200 : withBad.status);
    },
  );

  it.each(["a/b?", "localhost/auth/validate?", "localhost#", "localhost\\", "localhost/../healthz", "@", "?"])(
    "Y3, CVE-2026-33131: the Host %j is refused, and moves no check",
    async (host) => {
      for (const path of ["/auth/validate", "/healthz", "/account", "/auth/initiate"]) {
        const answer = await sendUntidied(current(), "GET", path, { host });
        expect([path, answer.status]).toEqual([path, 400]);
        expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "INVALID_REQUEST" } });
      }
    },
  );

  it("Y3: the absolute form of an address names a path and no host", async () => {
    const good = { "x-service-app-id": app.id, authorization: `Bearer ${tokens.accessToken}` };
    const answer = await sendUntidied(current(), "GET", `http://${evil}/auth/validate`, good);
    expect([200, 400, 404]).toContain(answer.status);
    const bad = { ...good, authorization: "Bearer x" };
    const refused = await sendUntidied(current(), "GET", `http://${evil}/auth/validate`, bad);
    expect([400, 401, 404]).toContain(refused.status);
    expect(answer.text + refused.text).not.toContain(evil);
  });
});

/**
 * What makes an answer of a route: its status, kind and code, but nothing that is new each time.
 */
function summary({ status, headers, text }: Awaited<ReturnType<typeof sendUntidied>>) {
  const type = String(headers["content-type"]);
  const isError = type.startsWith("application/json") && status >= 400;
  return { status, type, error: isError ? { ...errorIn(text), requestId: "" } : undefined };
}

function errorIn(text: string): Record<string, string> {
  return (JSON.parse(text) as { error: Record<string, string> }).error;
}
