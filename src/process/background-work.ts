import type { App } from "./app.ts";
import { minute, second } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import * as domains from "../organizations/domains/service.ts";
import * as organizationProviders from "../companies/service.ts";
import { folding } from "../people/folding.ts";
import { aggregatedEvents } from "../records/audit/aggregated-events.ts";
import { auditSender } from "../records/audit/syslog/sender.ts";
import { mailDelivery } from "../records/mail/delivery.ts";
import { webhookWorker } from "../records/webhooks/worker.ts";

const sweepEvery = 10 * minute;
const domainsAreCheckedEvery = minute;
/** How soon the return of a writable database is noticed without requests. */
const looksForWritesEvery = 5 * second;
/** Below the time that `audit list --follow` waits for a late event. */
const aggregatedEventsAreWrittenEvery = 10 * second;
/** Short enough that a service with frequent restarts sweeps too. */
const firstSweepAfter = 10 * second;

/** What a serving process does beside its requests. */
export type BackgroundWork = {
  /** Nothing new begins. */
  stopTimers(): void;
  /** Waits a few seconds for mails and webhooks that are being sent, and for DNS. */
  stopSending(): Promise<void>;
};

/** Starts sweeps, flushes and workers. */
export function startBackgroundWork(app: App): BackgroundWork {
  const { ctx } = app;
  const { log } = ctx;
  let isStopping = false;
  let checking: Promise<void> | undefined;
  const timers = [
    setTimeout(() => void sweep(app, log), firstSweepAfter),
    setInterval(() => void sweep(app, log), sweepEvery),
    setInterval(() => void writeAggregatedEvents(app, log), aggregatedEventsAreWrittenEvery),
    setInterval(() => void lookForWrites(app), looksForWritesEvery),
    setInterval(() => {
      checking ??= checkDomains(app, () => isStopping).finally(() => {
        checking = undefined;
      });
    }, domainsAreCheckedEvery),
  ];
  folding(ctx).start();
  mailDelivery(ctx).start();
  webhookWorker(ctx).start();
  auditSender(ctx).start();
  return {
    stopTimers(): void {
      isStopping = true;
      for (const timer of timers) clearInterval(timer);
    },
    async stopSending(): Promise<void> {
      await Promise.all([mailDelivery(ctx).stop(), webhookWorker(ctx).stop(), auditSender(ctx).stop(), checking]);
    },
  };
}

async function lookForWrites({ ctx: { writability } }: App): Promise<void> {
  if (writability.problem()) await writability.look();
}

/** Asks DNS about domains of organizations that are due, and lets providers begin. */
async function checkDomains({ ctx }: App, isStopping: () => boolean): Promise<void> {
  if (ctx.writability.problem()) return;
  try {
    while (!isStopping() && (await organizationProviders.beginDue(ctx)));
    while (!isStopping() && (await domains.checkDue(ctx)));
  } catch (error) {
    ctx.log.error("checking domains of organizations failed", error);
  }
}

async function sweep(app: App, log: Log): Promise<void> {
  try {
    await app.sweep();
  } catch (error) {
    log.error("deleting expired rows failed", error);
  }
}

async function writeAggregatedEvents({ ctx }: App, log: Log): Promise<void> {
  // Already logged; the counts wait.
  if (ctx.writability.problem()) return;
  try {
    await aggregatedEvents(ctx).flush();
  } catch (error) {
    log.error("writing refusals to the audit log failed", error);
  }
}
