import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { mayDo } from "../../src/console/operator.ts";
import { pathOf, type Act, type ConsoleRoute } from "../../src/console/route.ts";
import { consoleRoutes } from "../../src/console/routes.ts";
import { operatorRoles, type OperatorRole } from "../../src/storage/column-types.ts";
import { openConsole, type Console } from "../support/console.ts";
import { useService } from "../support/one-service.ts";
import { Visitor, type Page } from "../support/person.ts";

const service = useService();
const notAllowed = "Your role does not allow this.";
const notOurForm = "This form is not of this session.";

const closing: (() => Promise<void>)[] = [];
afterAll(async () => await Promise.all(closing.map(async (close) => await close())));

const opened = new Map<OperatorRole, Promise<Console>>();

/** One console of each role, for all tests that end no session. */
async function consoleOf(role: OperatorRole): Promise<Console> {
  const console = opened.get(role) ?? openConsole(service, { role }, (close) => closing.push(close));
  opened.set(role, console);
  return await console;
}

/** With ids that nothing has. */
function addressOf({ url }: { url: string }, route: ConsoleRoute): string {
  const names = [...route.path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
  return url + pathOf(route, Object.fromEntries(names.map((name) => [name, "nothing"])));
}

/** As a form of the session would send it, with these changes. */
async function send(
  console: Console,
  route: ConsoleRoute,
  {
    token,
    headers = {},
    visitor = console.visitor,
  }: { token?: string; headers?: Record<string, string>; visitor?: Visitor } = {},
): Promise<Page> {
  const address = addressOf(console, route);
  if (route.method === "GET") return await visitor.get(address, headers);
  const own = token ?? (await console.get("/overview")).form("/sign-out").fields["token"] ?? "";
  return await visitor.post(address, { token: own, page: "/console/overview" }, headers);
}

const lines = consoleRoutes
  .filter(({ path }) => path !== "/console/sign-out")
  .map((route) => [`${route.method} ${route.path}`, route] as const);
const posts = lines.filter(([, { method }]) => method === "POST");

describe.each(operatorRoles)("J3: a %s", (role) => {
  test.each(lines)("%s", async (_line, route) => {
    const console = await consoleOf(role);
    const { status, text } = await send(console, route);
    if (mayDo({ role }, route.role)) expect(text).not.toContain(notAllowed);
    else expect({ status, isSaid: text.includes(notAllowed) }).toEqual({ status: 403, isSaid: true });
    expect(status).not.toBe(500);
  });
});

test.each(lines.filter(([, { isGlobal }]) => isGlobal))(
  "J8: an operator of one application is refused by %s",
  async (_line, route) => {
    const { id: appId } = await service.createApp();
    const console = await openConsole(service, { appId });
    const { status, text } = await send(console, route);
    expect({ status, isSaid: text.includes(notAllowed) }).toEqual({ status: 403, isSaid: true });
  },
);

test.each(lines)("J5: without a session, %s tells nothing", async (_line, route) => {
  const console = await consoleOf("owner");
  const { status, text } = await send(console, route, { visitor: new Visitor() });
  expect(status).toBe(403);
  expect(text).toContain("You are not signed in");
});

test.each(posts)("J4: %s takes no form of another session", async (_line, route) => {
  const [console, other] = [await consoleOf("owner"), await consoleOf("support")];
  const token = (await other.get("/overview")).form("/sign-out").fields["token"] ?? "";
  for (const wrong of [token, "", `${token}x`]) {
    const { status, text } = await send(console, route, { token: wrong });
    expect({ status, isSaid: text.includes(notOurForm) }).toEqual({ status: 403, isSaid: true });
  }
});

test.each(posts)("J4: %s takes no form of another site", async (_line, route) => {
  const console = await consoleOf("owner");
  const others: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "", origin: "https://evil.example" },
  ];
  for (const headers of others) {
    const { status, text } = await send(console, route, { headers });
    expect({ status, isSaid: text.includes(notOurForm) }).toEqual({ status: 403, isSaid: true });
  }
});

test.each(lines)("J1: the public address answers 404 to %s", async (_line, route) => {
  const visitor = new Visitor();
  const address = addressOf(service, route);
  const { status } = route.method === "GET" ? await visitor.get(address) : await visitor.post(address, {});
  expect(status).toBe(404);
});

/** Asks for the overview, as the browser that was let in, under this name. */
async function statusUnder({ url, visitor }: Console, host: string): Promise<number | undefined> {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return await new Promise((resolve, reject) => {
    request(`${url}/console/overview`, { headers: { host, cookie } }, (answer) => resolve(answer.statusCode))
      .on("error", reject)
      .end();
  });
}

test.each(["evil.example", "evil.example:9470", "127.0.0.1.evil.example", "localhost.evil.example"])(
  "J2: a page that points its own name %s at this machine is refused (DNS rebinding)",
  async (host) => {
    expect(await statusUnder(await consoleOf("owner"), host)).toBe(421);
  },
);

test.each(["localhost", "127.0.0.1", "[::1]", "127.0.0.1:1"])(
  "answers under the names of this machine, such as %s, whatever the port of a tunnel",
  async (host) => {
    expect(await statusUnder(await consoleOf("owner"), host)).toBe(200);
  },
);

test("J6: no page may be framed, cached or read by another site, and none loads from elsewhere", async () => {
  const console = await consoleOf("owner");
  for (const [, route] of lines.filter(([, { method, path }]) => method === "GET" && !path.endsWith("/preview"))) {
    const { headers } = await send(console, route, { headers: { origin: "https://evil.example" } });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self'");
  }
});

function asked({ asksFor }: Act): string[] {
  if (asksFor === "nothing") return [];
  return [asksFor === "passkey" ? "asks for the passkey" : "asks if it opens access"];
}

test("the documentation lists every page and act with its role, and no other", () => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/console.md"), "utf8");
  const [, table = ""] = text.split("## Who may do what");
  const rows = table.split("\n").filter((line) => line.startsWith("| `/"));
  expect(rows).toEqual(
    consoleRoutes.map((route) => {
      const marks = [...(route.method === "POST" ? asked(route) : []), ...(route.isGlobal ? ["whole service"] : [])];
      const path = route.path.replace(/^\/console/u, "");
      return `| \`${path}\` | ${route.method === "GET" ? "page" : "act"} | ${route.role} | ${[marks.join(", "), "|"].join(" ").trim()}`;
    }),
  );
});
