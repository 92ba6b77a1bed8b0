import { request } from "node:http";
import { expect, it } from "vitest";
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

  it("answers other methods with 405", async () => {
    expect((await ask("DELETE", "/healthz")).status).toBe(405);
    expect((await ask("GET", "/auth/refresh")).status).toBe(405);
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
