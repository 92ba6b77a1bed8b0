import { AppError } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { sizeText } from "../../lib/sizes.ts";
import { readLive } from "../../live/client.ts";
import { liveState, type LiveState } from "../../live/live.ts";
import { within } from "../../metrics/watched.ts";
import type { Answer } from "../../http/answer.ts";
import type { Context } from "../../runtime/context.ts";
import { actForm } from "../parts/act-form.ts";
import { commandLine } from "../parts/command-line.ts";
import { amount, facts, instant, part, problem } from "../parts/data.ts";
import { consolePage } from "../parts/frame.ts";
import { done } from "../parts/notice.ts";
import { attempt, type Refusal } from "../parts/refusal.ts";
import { act, view, type Visit } from "../route.ts";
import { lastMeasurement, measure, signInsPerSecond, type Measurement } from "./measurement.ts";
import { table } from "../parts/table.ts";

const section = "Capacity";
const path = "/console/capacity";
/** A hanging service must not delay the page. */
const patience = 75;

export const page = view("/capacity", "viewer", async (ctx, visit) => await capacityPage(ctx, visit), {
  isGlobal: true,
});

export const measureHere = act(
  "/capacity/measure",
  "owner",
  "nothing",
  async (ctx, post) => {
    const { refusal } = await attempt(async () => await measure(ctx));
    return refusal ? await capacityPage(ctx, post, refusal) : done(ctx, post, path, "This machine was measured.");
  },
  { isGlobal: true },
);

async function capacityPage(ctx: Context, visit: Visit, refusal?: Refusal): Promise<Answer> {
  const measured = lastMeasurement(ctx);
  return consolePage(ctx, visit, {
    title: section,
    section,
    status: refusal?.status ?? 200,
    isLive: visit.request.method === "GET",
    acts: {
      primary: actForm(visit, measureHere, {
        label: measured ? "Measure again" : "Measure",
        about:
          "Hashes passwords with the settings below for two seconds, on every core that the service uses. If the service runs on this machine, sign-ins wait until it ends.",
      }),
    },
    body: html`${refusal && problem(refusal.text)}
      <div class="halves pairs">
        ${part("The running service", html`<div data-live="service">${servicePart(await runningService(ctx), measured)}</div>`)}
        ${part(
          "Password hashes on this machine",
          html`${measured ? measuredPart(measured) : html`<p class="none">Not measured yet.</p>`}
            <p class="hint">To measure calls and complete sign-ins too, run:</p>
            ${commandLine(["bench"])}`,
        )}
      </div>
      ${settingsPart(ctx)}
      ${part(
        "Database",
        facts([
          ["Kind", ctx.storage.dialect === "sqlite" ? "SQLite" : "PostgreSQL"],
          ["Size", sizeText(await ctx.storage.bytes())],
        ]),
      )}`,
  });
}

/** This process, or the one of this data folder; otherwise why there is nothing to see. */
async function runningService(ctx: Context): Promise<LiveState | string> {
  const own = await liveState(ctx);
  if (own) return own;
  let found: LiveState | undefined;
  try {
    const read = readLive(ctx.config).then((state) => {
      found = state;
    });
    const isAnswered = await within(patience, read);
    return (
      found ?? (isAnswered ? "No service was reached: none runs in this data folder." : "The service does not answer.")
    );
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function servicePart(running: LiveState | string, measured: Measurement | undefined): Html {
  if (typeof running === "string") return html`<p>${running}</p>`;
  const { hashes, signIns, requests, database } = running;
  const passwords = signIns.filter(({ method }) => method === "password");
  const rate = passwords.reduce((sum, { success, failure }) => sum + success + failure, 0);
  const most = measured && signInsPerSecond(measured);
  return facts([
    ["Hashes running", amount(hashes.running)],
    ["Hashes waiting", amount(hashes.waiting)],
    ["Hashes a second", amount(hashes.perSecond)],
    [
      "Password sign-ins a second",
      most === undefined ? amount(rate) : `${amount(rate)} of about ${amount(Math.round(most))}`,
    ],
    ["Calls a second", `${amount(requests.calls)}, 95 % within ${requests.milliseconds.p95} ms`],
    ["Database", database.up ? `answers in ${database.pingMilliseconds ?? 0} ms` : "does not answer"],
    ["Transactions a second", amount(database.transactions.perSecond)],
    ["Transactions waiting", amount(database.waiting)],
    [
      "Connections",
      database.connections ? `${database.connections.open} open, ${database.connections.idle} of them idle` : undefined,
    ],
  ]);
}

function measuredPart(measured: Measurement): Html {
  const { at, processor, cores, figures } = measured;
  return html`<p>
      Each password sign-in costs one hash, so this machine carries at most about
      <strong>${amount(Math.round(signInsPerSecond(measured)))} password sign-ins a second</strong>. A passkey, a
      provider or a refresh costs none.
    </p>
    ${table(
      "Password hashes measured on this machine",
      figures,
      [
        { heading: "At once", isNumber: true, cell: ({ atOnce }) => atOnce },
        { heading: "A second", isNumber: true, cell: ({ perSecond }) => amount(Math.round(perSecond)) },
        { heading: "Median", isNumber: true, cell: ({ medianMilliseconds }) => `${Math.round(medianMilliseconds)} ms` },
        { heading: "p99", isNumber: true, cell: ({ p99Milliseconds }) => `${Math.round(p99Milliseconds)} ms` },
      ],
      "",
    )}
    <p class="hint">Measured ${instant(at)} on ${cores} × ${processor}.</p>`;
}

function settingsPart({ config }: Context): Html {
  const { passwords, rateLimits, database } = config;
  const settings: [name: string, value: string, about: string][] = [
    ["passwords.memoryKiB", amount(passwords.memoryKiB), "memory of one hash, in KiB"],
    ["passwords.iterations", amount(passwords.iterations), "passes over it"],
    ["passwords.parallelism", amount(passwords.parallelism), "lanes of one hash"],
    ["passwords.concurrency", amount(passwords.concurrency), "hashes at once"],
    [
      "passwords.queueSize",
      amount(passwords.queueSize),
      "hashes that may wait; further sign-ins are told to try again",
    ],
    ["passwords.attemptsPerMinute", amount(passwords.attemptsPerMinute), "failed password attempts from one address"],
    ["passwords.puzzleAfter", amount(passwords.puzzleAfter), "failed accounts of a network before puzzles; 0: never"],
    ["rateLimits.authentication", amount(rateLimits.authentication), "calls a minute"],
    ["database.poolSize", amount(database.poolSize), "connections to PostgreSQL"],
  ];
  return part(
    "Settings that matter",
    html`${table(
      "Settings that matter for capacity",
      settings,
      [
        { heading: "Setting", cell: ([name]) => html`<code>${name}</code>` },
        { heading: "Value", isNumber: true, cell: ([, value]) => value },
        { heading: "What it is", cell: ([, , about]) => about },
      ],
      "",
    )}
    ${commandLine(["config", "show"])}`,
  );
}
