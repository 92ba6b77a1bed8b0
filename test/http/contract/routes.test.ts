import { request } from "node:http";
import { expect, it } from "vitest";
import { prefersHtml } from "../../../src/http/accept.ts";
import { describeOnSqlite } from "../../support/service.ts";

type Seen = { status: number | undefined; names: string[]; body: string };

describeOnSqlite("a route", (current) => {
  /** Over a socket of our own: `fetch` tells neither the order of headers nor an absent length. */
  async function ask(method: string, path: string): Promise<Seen> {
    const url = new URL(current().server.url);
    return await new Promise((resolve, reject) => {
      const call = request({ host: url.hostname, port: url.port, method, path, agent: false }, (answer) => {
        let body = "";
        answer.setEncoding("utf8").on("data", (text: string) => (body += text));
        const names = answer.rawHeaders.filter((_, at) => at % 2 === 0);
        answer.on("end", () => resolve({ status: answer.statusCode, names, body }));
      });
      call.on("error", reject).end();
    });
  }

  it("answers with an empty query as without one", async () => {
    for (const path of ["/healthz", "/auth/validate", "/.well-known/openid-configuration"]) {
      const exact = await ask("GET", path);
      const found = await ask("GET", `${path}?`);
      expect([exact.status, exact.names]).toEqual([found.status, found.names]);
      const known = (body: string): string => body.replace(/req_\w+/u, "");
      expect(known(exact.body)).toBe(known(found.body));
    }
  });

  it("answers HEAD with the headers of GET, its length included, and no body", async () => {
    for (const path of ["/healthz", "/auth/validate", "/.well-known/openid-configuration", "/account"]) {
      const get = await ask("GET", path);
      const head = await ask("HEAD", path);
      expect([head.status, head.body]).toEqual([get.status, ""]);
      const named = ({ names }: Seen): string[] => names.map((name) => name.toLowerCase()).toSorted();
      expect(named(head)).toEqual(named(get));
    }
  });
});

/** What Chromium, Firefox and Safari send when a person opens an address. */
const browsers = [
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "text/html",
];
const programs = ["*/*", "application/json", "application/json, text/html", "text/html;q=0.5, application/json", ""];

const refused: [title: string, method: string, path: string, status: number, heading: string][] = [
  ["an unknown path", "GET", "/nothing-here", 404, "There&#39;s no page here"],
  ["an unknown path below the API's", "GET", "/auth/nothing", 404, "There&#39;s no page here"],
  ["a wrong method", "GET", "/auth/initiate", 405, "There&#39;s no page here"],
  ["a form posted to nowhere", "POST", "/nothing-here", 404, "There&#39;s no page here"],
  ["a start at a provider for nobody's app", "GET", "/oauth/github/authorize", 401, "This link doesn&#39;t work"],
  ["a call of the API", "GET", "/users/profile", 401, "This link doesn&#39;t work"],
];

describeOnSqlite("an address that a browser opens", (current) => {
  const ask = async (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> =>
    await fetch(`${current().url}${path}`, { method, headers, redirect: "manual" });
  const withoutIds = (text: string): string => text.replaceAll(/req_\w+/gu, "");

  it.each(refused)("shows a page for %s", async (_title, method, path, status, heading) => {
    const plain = await ask(path, {}, method);
    for (const accept of browsers) {
      const answer = await ask(path, { accept }, method);
      const text = await answer.text();
      expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
      expect(text).toContain(`<h1>${heading}</h1>`);
      expect(text).not.toMatch(/INVALID_|authsvc \d/u);
      for (const name of ["allow", "www-authenticate"])
        expect(answer.headers.get(name), name).toBe(plain.headers.get(name));
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  });

  it.each(refused)("answers a program the error object, unchanged, for %s", async (_title, method, path, status) => {
    const plain = await ask(path, {}, method);
    const body = withoutIds(await plain.text());
    expect([plain.status, plain.headers.get("content-type")]).toEqual([status, "application/json; charset=utf-8"]);
    const others: Record<string, string>[] = [
      ...programs.map((accept) => ({ accept })),
      { accept: browsers[2] ?? "", authorization: "Bearer nothing" },
      { accept: browsers[2] ?? "", "x-service-app-id": "app_nothing" },
      { accept: browsers[2] ?? "", "content-type": "application/json" },
    ];
    for (const headers of others) {
      const answer = await ask(path, headers, method);
      expect(answer.headers.get("content-type"), JSON.stringify(headers)).toBe("application/json; charset=utf-8");
      if (!("authorization" in headers) && !("x-service-app-id" in headers))
        expect(withoutIds(await answer.text()), JSON.stringify(headers)).toBe(body);
    }
  });

  it("tells the people who run an app what is wrong with its link, in words that repeat nothing that was sent", async () => {
    const { id } = await current().createApp();
    const query = new URLSearchParams({ app_id: id, redirect_uri: "https://evil.example/<b>cb" });
    const answer = await ask(`/oauth/github/authorize?${query.toString()}`, { accept: browsers[0] ?? "" });
    const text = await answer.text();
    expect(answer.status).toBe(400);
    expect(text).toMatch(/<code>[^<]+\nreq_\w+<\/code>/u);
    expect(text).not.toContain("evil.example");
  });

  it("says at the front page what this service is, and neither its version nor its apps", async () => {
    await current().createApp({ name: "Hidden Shop" });
    const answer = await ask("/", {});
    const text = await answer.text();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain("<h1>This is where you sign in</h1>");
    expect(text).not.toMatch(/\d+\.\d+\.\d+|Hidden Shop/u);
  });

  it("has an icon, nothing for search engines, and the account page for password managers", async () => {
    const icon = await ask("/favicon.ico");
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    const robots = await ask("/robots.txt");
    expect([robots.status, await robots.text()]).toEqual([200, "User-agent: *\nDisallow: /\n"]);
    const change = await ask("/.well-known/change-password");
    expect([change.status, change.headers.get("location")]).toEqual([303, `${current().url}/account`]);
  });
});

it("an Accept header prefers HTML when it rates it above JSON", () => {
  for (const accept of [...browsers, "text/*", "text/html;q=0.9, */*;q=0.8", "TEXT/HTML, */*;q=0.1"])
    expect(prefersHtml(accept), accept).toBe(true);
  for (const accept of [...programs, "text/html;q=0", "text/html;q=x", "text/htmlx", ",,;;q=,", "image/*"])
    expect(prefersHtml(accept), accept).toBe(false);
});
