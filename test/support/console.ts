import { onTestFinished } from "vitest";
import { startConsole } from "../../src/console/local-console.ts";
import type { OperatorRole } from "../../src/storage/column-types.ts";
import type { Finished } from "../cli/command.ts";
import { authsvc } from "../cli/in-process.ts";
import { Visitor, type Page } from "./person.ts";
import { testMasterKey, type TestService } from "./service.ts";

export type Console = {
  /** Its origin. */
  url: string;
  /** The link that lets one browser in; `get` and `submit` have used it. */
  link: string;
  visitor: Visitor;
  /** A page below /console, such as "/people". */
  get(path: string): Promise<Page>;
  /** Posts the form of `page` whose action ends with `action`, and follows to the page after it. */
  submit(page: Page, action: string, values?: Record<string, string>): Promise<Page>;
};

/** The console of a running service, with one browser let in. It ends with the test, or `atEnd`. */
export async function openConsole(
  { server }: TestService,
  { role = "owner", appId }: { role?: OperatorRole; appId?: string } = {},
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
): Promise<Console> {
  const operator = { actor: { kind: "cli", name: "test" }, role, name: "test", appId } as const;
  const console = await startConsole(server.app.ctx, { host: "127.0.0.1", port: 0, hosts: [], operator });
  atEnd(() => console.close());
  const { origin } = new URL(console.link);
  const visitor = new Visitor();
  await visitor.get(console.link);
  const follow = async (page: Page): Promise<Page> => {
    const location = page.headers.get("location");
    return location === null ? page : await visitor.get(new URL(location, page.url).href);
  };
  return {
    url: origin,
    link: console.link,
    visitor,
    get: async (path) => await visitor.get(`${origin}/console${path}`),
    submit: async (page, action, values = {}) => await follow(await visitor.submit(page, action, values)),
  };
}

/** The commands that a page shows, as a person would copy them. */
export function commandsOn(page: Page): string[] {
  return [...page.text.matchAll(/<div class="command">\s*<code>([^<]*)<\/code>/gu)].map(([, line = ""]) =>
    line
      .replaceAll("&#39;", "'")
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&#96;", "`")
      .replaceAll("&amp;", "&"),
  );
}

/** Runs a command that a page shows, on the same database. */
export async function runShown(
  service: TestService,
  line: string,
  surroundings: Record<string, string> = {},
): Promise<Finished> {
  const { database, webhooks } = service.config;
  const { url } = database;
  const env = {
    AUTHSVC_DATA: service.dataDir,
    AUTHSVC_WEBHOOKS__ALLOW_PRIVATE_NETWORKS: String(webhooks.allowPrivateNetworks),
    ...surroundings,
    ...(url === undefined ? {} : { AUTHSVC_DATABASE__URL: url, AUTHSVC_MASTER_KEY: testMasterKey }),
  };
  const [program, ...words] = wordsOf(line);
  if (program !== "authsvc") throw new Error(`not a command of ours: ${line}`);
  return await authsvc([...words, "--yes"], { cwd: service.dataDir, env });
}

/** The words of a POSIX command line without variables or escapes outside of quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/gu)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\(')/gu, (_all, quoted?: string, escaped?: string) => quoted ?? escaped ?? ""),
  );
}
