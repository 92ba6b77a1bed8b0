import { parseCookies } from "../../src/http/cookies.ts";
import { rawRequest, type DoorAnswer } from "./forward-auth.ts";
import { goodPassword, Page, Visitor } from "./person.ts";
import type { TestService } from "./service.ts";

export const navigates = {
  accept: "text/html,application/xhtml+xml,*/*;q=0.8",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};

type Sent = { method?: string; headers?: Record<string, string>; body?: Record<string, string> };

/** What a program behind a proxy answers. */
export const program = "the program";

/**
 * A browser without scripts, at the service and at protected hosts. Their proxy is a correct block
 * of nginx, or of another one. Follows no redirect by itself.
 */
export class HostVisitor {
  readonly service: TestService;
  readonly proxy: "nginx" | "proxy";
  readonly request: typeof rawRequest;
  /** At the service. */
  readonly own = new Visitor();
  /** Cookies by host. */
  readonly jars = new Map<string, Map<string, string>>();
  /** Cookie lines of the last answer. */
  lines: string[] = [];

  constructor(service: TestService, proxy: "nginx" | "proxy" = "nginx", request = rawRequest) {
    this.service = service;
    this.proxy = proxy;
    this.request = request;
  }

  jar(host: string): Map<string, string> {
    const jar = this.jars.get(host) ?? new Map<string, string>();
    this.jars.set(host, jar);
    return jar;
  }

  /** A request, as a navigation if nothing else is said. */
  async open(url: string, { method = "GET", headers = navigates, body }: Sent = {}): Promise<Page> {
    if (url.startsWith(this.service.url)) return await this.own.get(url);
    const [, host = "", path = ""] = /^https:\/\/([^/]+)(.*)$/u.exec(url) ?? [];
    const cookies = [...this.jar(host)].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = Object.entries(cookies === "" ? headers : { ...headers, cookie: cookies });
    const answer = await this.#through(host, path, method, sent, body);
    const lines = [answer.headers["set-cookie"] ?? []].flat();
    this.lines = lines;
    for (const line of lines) {
      const [pair = ""] = line.split(";");
      const [[name, value] = ["", ""]] = [...parseCookies(pair)];
      if (line.includes("Max-Age=0")) this.jar(host).delete(name);
      else this.jar(host).set(name, value);
    }
    const headersOf = new Headers(
      Object.entries(answer.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((each): [string, string] => [name, each]),
      ),
    );
    return new Page(url, answer.status, headersOf, answer.body);
  }

  /** Follows redirects until a page is shown. */
  async go(url: string, sent?: Sent): Promise<Page> {
    let page = await this.open(url, sent);
    for (let turns = 0; page.status === 303; turns += 1) {
      if (turns > 10) throw new Error(`no end of redirects at ${page.url}`);
      page = await this.open(page.headers.get("location") ?? "");
    }
    return page;
  }

  /** The same, and signs in where a password is asked for. */
  async enter(url: string, email: string, sent?: Sent): Promise<Page> {
    const page = await this.go(url, sent);
    return await this.go(await this.signIn(page, email));
  }

  /** Types the password, and returns where the browser is sent. */
  async signIn(page: Page, email: string): Promise<string> {
    const done = await this.own.submit(page, "/password", { email, password: goodPassword });
    if (done.status !== 303) throw new Error(`sign-in answered ${done.status}: ${done.text}`);
    return done.location.href;
  }

  /** Through a proxy: what its program would see is answered by `program`. */
  async #through(
    host: string,
    path: string,
    method: string,
    lines: [string, string][],
    body: Record<string, string> | undefined,
  ): Promise<DoorAnswer> {
    const { forwardAuthUrl: url = "" } = this.service.server;
    const at = [["Host", host], ...lines] as [string, string][];
    const original: [string, string][] = [
      ["X-Original-Method", method],
      ["X-Original-Url", `https://${host}${path}`],
    ];
    if (path.startsWith("/.authsvc/")) return await this.request(url, path, [...at, ...original], method, body);
    if (this.proxy === "proxy") {
      const family: [string, string][] = [
        ["X-Forwarded-Proto", "https"],
        ["X-Forwarded-Host", host],
        ["X-Forwarded-Method", method],
        ["X-Forwarded-Uri", path],
      ];
      const answer = await this.request(url, "/forward-auth", [...family, ...lines]);
      return answer.status === 200 ? { ...answer, body: program } : answer;
    }
    const answer = await this.request(url, "/auth-request", [...original, ...lines]);
    if (answer.status === 200) return { ...answer, body: program };
    const page = answer.status === 401 ? "/.authsvc/start" : "/.authsvc/refused";
    return await this.request(url, page, [...at, ...original]);
  }
}
