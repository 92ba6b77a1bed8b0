import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { startServer } from "../../src/process/server.ts";
import { answer } from "../cli/in-process.ts";
import { commandsOf } from "../cli/program-commands.ts";
import { prepareInstallation, surroundingsOf, type Installation } from "./installation.ts";
import { blocksOf, firstSteps, pages, textOf } from "./pages.ts";
import { startShell, type Shell } from "./shell.ts";

const ranElsewhere = firstSteps();
const blocks = pages.flatMap(blocksOf).filter(({ text }) => !ranElsewhere.includes(text));

/** Their commands go on with what earlier ones made: one block from top to bottom. */
const toldInOrder = [
  "docs/openid-connect.md",
  "docs/machines.md",
  "docs/protecting-mcp-servers.md",
  "docs/organizations.md",
  "docs/terms-and-profile.md",
  "docs/forward-auth.md",
];

function told(language: string): { page: string; text: string }[] {
  const found = blocks.filter((block) => block.language === language);
  const whole = toldInOrder.map((page) => ({
    page,
    text: found.flatMap((block) => (block.page === page ? [block.text] : [])).join("\n"),
  }));
  return [...found.filter(({ page }) => !toldInOrder.includes(page)), ...whole];
}

describe("every command of the documentation does what it says", () => {
  const receiver = createServer((request, response) => {
    request.resume();
    response.end();
  });
  let installation: Installation;
  let shell: Shell;

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const { port } = receiver.address() as AddressInfo;
    installation = await prepareInstallation(`http://127.0.0.1:${port}/hooks`);
    shell = await startShell();
  });
  afterAll(() => {
    receiver.close();
    shell.close();
  });

  test.each(told("sh").map(({ page, text }) => [page, text.split("\n")[0] ?? "", text] as const))(
    "%s: %s",
    async (_page, _first, text) => {
      const { cwd, script, env } = await surroundingsOf(text, installation);
      await servedFor(script, { cwd, env }, installation.ids["usr_01k…"] ?? "", async (asked) => {
        const finished = await shell.run(asked, { cwd, env });
        expect(finished, `${finished.stderr}\n${finished.stdout}`).toMatchObject({ code: 0 });
      });
    },
  );

  const timetables = blocks.filter(({ language }) => language === "crontab");
  test.each(timetables.map(({ page, text }) => [page, text] as const))("%s, in cron: %s", async (_page, text) => {
    // Minute to weekday, then the user; `%` is a new line in cron unless it is escaped.
    const line = text.replace(/^(?:\S+ ){5}\S+\s+/u, "").replaceAll(String.raw`\%`, "%");
    const { cwd, script, env } = await surroundingsOf(line, installation);
    expect(await shell.run(script, { cwd, env })).toMatchObject({ code: 0, stderr: "" });
  });
});

/** A block that asks a running service gets one, on its own data, and a token of it. */
async function servedFor(
  script: string,
  { cwd, env }: { cwd: string; env: Record<string, string> },
  userId: string,
  work: (script: string) => Promise<void>,
): Promise<void> {
  const isDev = /\/dev\/|authsvc (?:-- )?dev /u.test(script);
  if (!isDev && !/\b(?:curl|authsvc top)\b/u.test(script)) {
    await work(script);
    return;
  }
  const { config } = loadConfig({ flags: {}, env, cwd });
  const server = await startServer({ ...config, dev: isDev, baseUrl: undefined, trustedProxies: [] });
  const asServed = { ...env, AUTHSVC_BASE_URL: server.url, AUTHSVC_TRUSTED_PROXIES: "" };
  env["AUTHSVC_ISSUER"] = server.url;
  try {
    const minted = await answer(["token", "mint", "--user", userId], { cwd, env: asServed });
    env["ACCESS_TOKEN"] = (minted as { accessToken: string }).accessToken;
    await work(script.replaceAll(/https:\/\/auth\.example\.com|http:\/\/localhost:8080/gu, server.url));
  } finally {
    await server.close();
  }
}

describe("commands elsewhere in the documentation", () => {
  test("stand in blocks that are run", () => {
    const programs = /^\s*(?:\$ )?(?:authsvc|npm|npx|curl|docker|systemctl) /mu;
    const stray = blocks.filter(({ language, text }) => !["sh", "crontab"].includes(language) && programs.test(text));
    expect(stray).toEqual([]);
  });

  const spans = pages.flatMap((page) =>
    [...textOf(page).matchAll(/`((?:npm run authsvc -- |authsvc )[^`\n]+)`/gu)].map(
      ([, span = ""]) => [page, span] as const,
    ),
  );
  test.each(spans)("%s names a command, with flags that it knows: %s", async (_page, span) => {
    const line = span.replace("npm run authsvc -- ", "authsvc ").replaceAll(/ … ?| \[.*\]/gu, " ");
    await expect(commandsOf(line)).resolves.not.toHaveLength(0);
  });
});
