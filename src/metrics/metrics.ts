import packageFile from "../../package.json" with { type: "json" };
import type { Answered } from "../http/router.ts";
import { second } from "../lib/clock.ts";
import type { Meter } from "../lib/meter.ts";
import { countedIn, createInstruments, textOf, type Counted } from "./instruments.ts";
import { patienceMilliseconds, within, type Watched } from "./watched.ts";

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Counts and times the service's work from its start. `ofProcess`: also the process's resources.
 */
export function createMetrics({ ofProcess = true } = {}) {
  const of = createInstruments(ofProcess);
  let watched: Watched | undefined;

  const meter: Meter = {
    signIn: (method, result) => of.signIns.inc({ method, result }),
    tokenGrant: (grant, result) => of.tokenGrants.inc({ grant, result }),
    hashWaited: (milliseconds) => of.hashWait.observe(milliseconds / second),
    transaction: (milliseconds, result) => of.transactions.observe({ result }, milliseconds / second),
    webhookAttempt: (milliseconds, result) => of.webhookAttempts.observe({ result }, milliseconds / second),
    puzzle: (result) => of.puzzles.inc({ result }),
    revocationsSent: (count) => of.revocationsSent.inc(count),
    dpopProof: (result) => of.dpopProofs.inc({ result }),
    forwardAuthCheck: (result) => of.forwardAuthChecks.inc({ result }),
    mailAttempt: (result) => of.mailAttempts.inc({ result }),
    mailLimited: (purpose, limit) => of.mailsLimited.inc({ purpose, limit }),
  };

  async function lookAtDatabase({ storage, webhooks, mails, auditLag }: Watched): Promise<void> {
    const startedAt = performance.now();
    await storage.ping();
    of.databasePing.set((performance.now() - startedAt) / second);
    const [deliveries, mail] = await Promise.all([webhooks(), mails()]);
    of.webhooksWaiting.set(deliveries.waiting);
    of.webhooksOverdue.set(deliveries.overdue / second);
    of.mailsWaiting.set(mail.waiting);
    of.mailsOverdue.set(mail.overdue / second);
    if (auditLag) of.auditLag.set((await auditLag()) / second);
  }

  function lookAtProcess({ storage, writability, hashing, certificateValidUntil, feedWaits }: Watched): void {
    of.databaseWritable.set(writability.problem() ? 0 : 1);
    const { waiting, connections } = storage.load();
    of.databaseWaiting.set(waiting);
    if (connections) {
      of.connections.set({ state: "idle" }, connections.idle);
      of.connections.set({ state: "busy" }, connections.open - connections.idle);
    }
    const validUntil = certificateValidUntil();
    if (validUntil !== undefined) of.certificateValidUntil.set({}, validUntil / second);
    const hashes = hashing();
    of.hashesRunning.set(hashes.running);
    of.hashesWaiting.set(hashes.waiting);
    of.feedWaits.set(feedWaits());
  }

  return {
    meter,

    /** Sets the sources of scrapes, once they exist. */
    watch(what: Watched): void {
      watched = what;
      of.buildInfo.set({ version: packageFile.version, node: process.version, database: what.storage.dialect }, 1);
    },

    /** An answer of the service. */
    answered({ route, status, error, milliseconds }: Answered): void {
      const method = route?.method ?? "";
      const path = route?.path ?? "";
      of.requests.observe({ route: path, method, status: `${Math.floor(status / 100)}xx` }, milliseconds / second);
      if (path === "/auth/validate" && method === "GET") of.validates.inc({ result: resultOf(status) });
      else if (path === "/auth/refresh" && method === "POST") of.refreshes.inc({ result: resultOf(status) });
      if (status === 429)
        of.rateLimited.inc({ limit: error?.code === "BUSY" ? "password-hashes" : (route?.limit ?? "") });
    },

    contentType: of.registry.contentType,

    /** A thread's counts, for the main thread's `text`. */
    counted: async (): Promise<Counted> => await countedIn(of.registry),

    /**
     * All metrics in Prometheus' text format. Values from the database keep their last state while
     * it does not answer.
     */
    async text(): Promise<string> {
      if (watched) {
        lookAtProcess(watched);
        const isUp = await within(patienceMilliseconds, lookAtDatabase(watched));
        of.databaseUp.set(isUp ? 1 : 0);
      }
      return await textOf(of.registry, (await watched?.threads?.()) ?? []);
    },
  };
}

function resultOf(status: number): "success" | "refused" | "limited" | "error" {
  if (status < 400) return "success";
  if (status === 429) return "limited";
  return status < 500 ? "refused" : "error";
}
