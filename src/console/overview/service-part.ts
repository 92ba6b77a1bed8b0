import { html, type Html } from "../../lib/html.ts";
import { day, hour, minute, second } from "../../lib/clock.ts";
import { sizeText } from "../../lib/sizes.ts";
import { readLive } from "../../live/client.ts";
import { liveState, type LiveState } from "../../live/live.ts";
import { within } from "../../metrics/watched.ts";
import * as mail from "../../records/mail/service.ts";
import * as webhooks from "../../records/webhooks/deliveries.ts";
import type { Context } from "../../runtime/context.ts";
import { amount, facts, part } from "../parts/data.ts";
import { keptIfExpensive } from "../parts/kept.ts";
import type { Deliveries } from "./activity.ts";

/** A hanging service must not delay the page. */
const patience = 75;

export type ServiceState = {
  running: LiveState | string;
  webhooks: { waiting: number; overdue: number };
  mails: { waiting: number; overdue: number };
  bytes: number;
};

export async function serviceState(ctx: Context): Promise<ServiceState> {
  const running = await runningService(ctx);
  const counted = typeof running === "string" ? undefined : running;
  return {
    running,
    webhooks: counted?.webhooks ?? (await keptIfExpensive(ctx, "webhooks waiting", () => webhooks.backlog(ctx))),
    mails: counted?.mails ?? (await keptIfExpensive(ctx, "mails waiting", () => mail.backlog(ctx))),
    bytes: await keptIfExpensive(ctx, "bytes", () => ctx.storage.bytes()),
  };
}

/** This process, or the one of this data folder; otherwise why there is nothing to see. */
async function runningService(ctx: Context): Promise<LiveState | string> {
  const own = await liveState(ctx);
  if (own) return own;
  let found: LiveState | undefined;
  const isAnswered = await within(
    patience,
    readLive(ctx.config).then((state) => {
      found = state;
    }),
  );
  return found ?? (isAnswered ? "no service runs in this data folder" : "the service does not answer");
}

/**
 * Outgoing mails and webhooks, and the state of the service; `state`: undefined for one
 * application.
 */
export function servicePart({ storage }: Context, of: Deliveries, state: ServiceState | undefined): Html {
  const { delivered, failed, sent, notSent, dropped } = of;
  const leaves: Fact[] = [
    ["Webhooks delivered", `${amount(delivered)}; ${amount(failed)} failed attempts`],
    ["Mails sent", `${amount(sent)}; ${amount(notSent)} failed attempts, ${amount(dropped)} given up`],
  ];
  return part(
    state ? "This service" : "Webhooks and mail",
    html`<div data-live="service">
      ${facts(
        state
          ? [
              ...runningFacts(state.running),
              ["Webhooks waiting", backlogText(state.webhooks)],
              ["Mails waiting", backlogText(state.mails)],
              ...leaves,
              ["Database", `${storage.isShared ? "PostgreSQL" : "SQLite"}, ${sizeText(state.bytes)}`],
            ]
          : leaves,
      )}
    </div>`,
  );
}

type Fact = [name: string, value: string];

function runningFacts(running: LiveState | string): Fact[] {
  if (typeof running === "string") return [["Password hashes", running]];
  const { hashes, requests } = running;
  return [
    ["Password hashes", `${hashes.running} running, ${hashes.waiting} waiting, ${hashes.perSecond} a second`],
    ["Calls", `${requests.calls} a second, 95 % within ${requests.milliseconds.p95} ms`],
  ];
}

function backlogText({ waiting, overdue }: { waiting: number; overdue: number }): string {
  return overdue < second ? amount(waiting) : `${amount(waiting)}, the first ${age(overdue)} late`;
}

function age(milliseconds: number): string {
  const [length, name] =
    (
      [
        [day, "days"],
        [hour, "hours"],
        [minute, "minutes"],
      ] as const
    ).find(([each]) => milliseconds >= 2 * each) ?? ([second, "seconds"] as const);
  return `${Math.floor(milliseconds / length)} ${name}`;
}
