import { spawn } from "node:child_process";
import { once } from "node:events";
import type { App } from "../src/process/app.ts";
import type { Config } from "../src/config/config.ts";
import { percentile } from "../src/upkeep/benchmark/percentiles.ts";
import type { Context } from "./context.ts";
import { fill } from "./fill.ts";
import { placeOf } from "./million.ts";
import type { Pace } from "./load.ts";
import { measured } from "./report.ts";
import { appId, validatesOf, withSubject, type Subject } from "./subject.ts";

/** A few hundred calls per second: measures their latency, not their maximum rate. */
const validating = { connections: 8, pauseMilliseconds: 10 } satisfies Partial<Pace>;
const searchers = 2;
/** Of everybody, of nobody, and words that few share; each user is called `Person 17`. */
const texts = { "a common part": "example", "two words that few share": "99 person99", nobody: "nobody" };

/** Searches among a million users, and p99 of validate beside them and beside an export. */
export async function measureSearch(
  { program, report, load, seconds, thousands }: Context,
  name: string,
  environmentOf: () => Promise<Record<string, string> | undefined>,
): Promise<void> {
  const users = thousands * 1000;
  const prepare = async (app: App, config: Config): Promise<void> =>
    await fill(placeOf(config), { appId, users, now: app.ctx.clock() });
  const environment = { ...(await environmentOf()), AUTHSVC_RATE_LIMITS__USER_MANAGEMENT: "1000000" };
  await withSubject({ program, environment, logins: 64, prepare }, async (subject) => {
    const validates = validatesOf(subject, subject.logins);
    const p99 = async (): Promise<number> => (await load(validates, { ...validating, seconds })).p99Milliseconds;
    await p99();
    for (const [kind, text] of Object.entries(texts)) {
      const took: number[] = [];
      let pages = 0;
      for (let time = 0; time < 5; time += 1) took.push(await searchAll(subject, text, () => (pages += 1)));
      const about = `${measured(percentile(took, 0.5))} ms, in ${measured(pages / took.length)} pages`;
      report.note(`${name}: a search for ${kind} among ${measured(users)}, to its end or 50 found`, about);
    }
    const alone = await p99();
    report.value(`${name}: validate p99 alone`, alone, "ms");
    const measuring = { isOver: false };
    let searches = 0;
    const loops = Array.from({ length: searchers }, async () => {
      while (!measuring.isOver) await searchAll(subject, texts.nobody, () => (searches += 1));
    });
    const beside = await p99();
    measuring.isOver = true;
    await Promise.all(loops);
    report.value(`${name}: validate p99 beside ${measured(searches / seconds)} searches/s`, beside, "ms");
    const args = [...program.before, "user", "export", "--app", appId, "--data", subject.config.dataDir];
    const exporting = spawn(program.command, args, {
      stdio: "ignore",
      env: { PATH: process.env["PATH"], ...subject.environment },
    });
    const ended = once(exporting, "exit");
    report.value(`${name}: validate p99 beside an export`, await p99(), "ms");
    exporting.kill();
    await ended;
  });
}

/** Milliseconds for all pages, up to the first with somebody. */
async function searchAll({ server, headers }: Subject, search: string, onPage: () => void): Promise<number> {
  const began = performance.now();
  for (let cursor: string | null = ""; cursor !== null;) {
    const query = new URLSearchParams({ search, ...(cursor && { cursor }) });
    const answer = await fetch(`${server.url}/applications/${appId}/users?${query.toString()}`, { headers });
    if (answer.status !== 200) throw new Error(`a search answered ${answer.status}: ${await answer.text()}`);
    onPage();
    const page = (await answer.json()) as { users: unknown[]; nextCursor: string | null };
    cursor = page.users.length < 50 ? page.nextCursor : null;
  }
  return performance.now() - began;
}
