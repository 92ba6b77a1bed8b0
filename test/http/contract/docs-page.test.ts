import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { operations } from "../../support/routes.ts";
import { describeOnSqlite } from "../../support/service.ts";

const entities: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&#96;": "`",
  "&amp;": "&",
};

function plain(markup: string): string {
  return markup.replaceAll(/<[^>]+>/gu, "").replaceAll(/&[#\w]+;/gu, (entity) => entities[entity] ?? entity);
}

/** The arguments that a shell gives to curl, for each example. */
function argumentsOf(examples: string[], env: Record<string, string> = {}): string[][] {
  const script = ["curl() { printf '%s\\0' \"$@\"; printf '\\1'; }", ...examples].join("\n");
  const said = execFileSync("bash", ["-c", script], { encoding: "utf8", env, stdio: ["ignore", "pipe", "inherit"] });
  return said
    .split("\u0001")
    .slice(0, -1)
    .map((each) => each.split("\0").slice(0, -1));
}

const AsyncFunction = (async () => {}).constructor as new (
  ...code: string[]
) => (...given: unknown[]) => Promise<unknown>;

describeOnSqlite("the page that describes the HTTP API", (current) => {
  async function open(query = ""): Promise<{ status: number; text: string; heading: string }> {
    const answer = await fetch(`${current().url}/docs${query}`);
    const text = await answer.text();
    return { status: answer.status, text, heading: plain(/<h1>([^]*?)<\/h1>/u.exec(text)?.[1] ?? "").trim() };
  }

  function examplesIn(text: string): string[] {
    return [...text.matchAll(/<pre tabindex="0"><code>([^]*?)<\/code>/gu)].map(([, code = ""]) => plain(code));
  }

  it("shows each call alone, with its example for a shell and for TypeScript, and leads to it from the menu", async () => {
    const { text: start } = await open();
    const curls: string[] = [];
    for (const { id, method, path } of operations) {
      expect(plain(start), id).toContain(path.replaceAll(/:(\w+)/gu, "{$1}"));
      expect(start).toContain(`href="/docs?show=${id}"`);
      const { status, text, heading } = await open(`?show=${id}`);
      expect([status, heading]).toEqual([200, `${method} ${path.replaceAll(/:(\w+)/gu, "{$1}")}`]);
      const [curl = "", typeScript = ""] = examplesIn(text);
      curls.push(curl);
      expect(() => new AsyncFunction(typeScript), typeScript).not.toThrow();
    }
    expect(argumentsOf(curls)).toHaveLength(operations.length);
  });

  it("gives examples that work as they are", async () => {
    const app = await current().createApp({ redirectUris: ["https://shop.example.com/callback"] });
    const { text } = await open("?show=initiate");
    const [curl = "", typeScript = ""] = examplesIn(text);
    const env = { API_KEY: app.apiKey, APP_ID: app.id };
    const [given = []] = argumentsOf([curl], env);
    const valuesOf = (flag: string) => given.filter((_, at) => given[at - 1] === flag);
    const url = given.find((each) => each.startsWith("http")) ?? "";
    const headers = valuesOf("-H").map((header) => header.split(": ") as [string, string]);
    const answer = await fetch(url, { method: valuesOf("-X")[0] ?? "", headers, body: valuesOf("-d")[0] ?? "" });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ sessionId: expect.any(String) }),
    ]);
    const run = new AsyncFunction("process", `${typeScript}\nreturn answer;`);
    expect(await run({ env })).toMatchObject({ sessionId: expect.any(String) });
  });

  it("filters its menu by words, without a script, and keeps them in the links", async () => {
    const { text } = await open("?search=WEBHOOKS+delete&show=initiate");
    const menu = /<nav aria-label="Calls">([^]*?)<\/nav>/u.exec(text)?.[1] ?? "";
    const shown = [...menu.matchAll(/<(?:li|p)[\s]*>\s*<a href="(\/docs\?show=[^"]*)"/gu)].map(([, href = ""]) =>
      plain(href),
    );
    expect(shown.filter((href) => !/headers|schemas/u.test(href))).toEqual([
      expect.stringMatching(/^\/docs\?show=\w*[wW]ebhook\w*&search=WEBHOOKS\+delete$/u),
    ]);
    expect(plain((await open("?search=nothing%20has%20this")).text)).toContain("No call has these words.");
  });

  it("answers 404 with its start for what it does not have", async () => {
    for (const show of ["none", "schema-", "schema-toString", "schema-None", "<script>"]) {
      const { status, heading, text } = await open(`?show=${encodeURIComponent(show)}`);
      expect([status, heading]).toEqual([404, "The HTTP API"]);
      expect(text).not.toContain("<script>alert");
    }
    expect((await open("?show=schema-TokensAndUser")).heading).toBe("TokensAndUser");
  });
});
