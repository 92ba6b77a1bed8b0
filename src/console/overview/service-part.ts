import { html, type Html } from "../../lib/html.ts";
import { day, hour, minute, second } from "../../lib/clock.ts";
import { sizeText } from "../../lib/sizes.ts";
import * as mail from "../../records/mail/service.ts";
import * as webhooks from "../../records/webhooks/deliveries.ts";
import type { Context } from "../../runtime/context.ts";
import { amount, facts, part } from "../parts/data.ts";
import { keptIfExpensive } from "../parts/kept.ts";
import type { Deliveries } from "./activity.ts";

export type ServiceState = {
  webhooks: { waiting: number; overdue: number };
  mails: { waiting: number; overdue: number };
  bytes: number;
};

export async function serviceState(ctx: Context): Promise<ServiceState> {
  return await keptIfExpensive(ctx, "service", async () => ({
    webhooks: await webhooks.backlog(ctx),
    mails: await mail.backlog(ctx),
    bytes: await ctx.storage.bytes(),
  }));
}

/** What leaves the service; `state` is about all applications. */
export function deliveryPart(of: Deliveries, state: ServiceState | undefined): Html {
  const { delivered, failed, sent, notSent, dropped } = of;
  return part(
    "Webhooks and mail",
    html`<div data-live="deliveries">
      ${facts([
        ["Webhooks waiting", state && backlogText(state.webhooks)],
        ["Webhooks delivered", `${amount(delivered)}; ${amount(failed)} failed attempts`],
        ["Mails waiting", state && backlogText(state.mails)],
        ["Mails sent", `${amount(sent)}; ${amount(notSent)} failed attempts, ${amount(dropped)} given up`],
      ])}
    </div>`,
  );
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

export function servicePart({ storage, config }: Context, { bytes }: ServiceState): Html {
  return part(
    "This service",
    html`<div data-live="service">
      ${facts([
        ["Database", `${storage.isShared ? "PostgreSQL" : "SQLite"}, ${sizeText(bytes)}`],
        ["Password hashes at once", amount(config.passwords.concurrency)],
      ])}
    </div>`,
  );
}
