import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

const quick = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const slow = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** Counters and histograms as data. */
export type Counted = Awaited<ReturnType<typeof countedIn>>;

export async function countedIn(registry: Registry) {
  const all = (await registry.getMetricsAsJSON()) as { name: string; type: unknown }[];
  return all.filter(({ type }) => type === "counter" || type === "histogram");
}

/** In Prometheus' text format, including the counts of threads. */
export async function textOf(registry: Registry, ofThreads: Counted[]): Promise<string> {
  if (ofThreads.length === 0) return await registry.metrics();
  const own = await countedIn(registry);
  const summed = AggregatorRegistry.aggregate([own, ...ofThreads]);
  const rest = registry.getMetricsAsArray().filter(({ name }) => !own.some((counted) => counted.name === name));
  const texts = rest.map(async ({ name }) => await registry.getSingleMetricAsString(name));
  return [await summed.metrics(), ...(await Promise.all(texts))].join("\n");
}

/**
 * All metrics, with the names listed in `docs/deploying.md`. A label has few possible values, all
 * our own: no id, address, name or text from users. `ofProcess`: also the process's resources.
 */
export function createInstruments(ofProcess = true) {
  const registry = new Registry();
  const registers = [registry];
  // process_… and nodejs_…, including the event loop lag, with the names that dashboards expect.
  if (ofProcess) collectDefaultMetrics({ register: registry });
  // promtool rejects these gauges, which are named like counters. The metrics without `_total` have
  // the same data.
  for (const name of ["resources", "handles", "requests"]) registry.removeSingleMetric(`nodejs_active_${name}_total`);

  const counter = <const L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Counter({ name: `authsvc_${name}`, help, labelNames, registers });
  const gauge = <const L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name: `authsvc_${name}`, help, labelNames, registers });
  const histogram = <const L extends string>(name: string, help: string, buckets: number[], labelNames: L[] = []) =>
    new Histogram({ name: `authsvc_${name}`, help, buckets, labelNames, registers });

  const certificateValidUntil = gauge(
    "certificate_expiry_timestamp_seconds",
    "When the certificate of listen.tls expires.",
  );
  // Without a certificate there must be no value: 0 would raise an alarm.
  certificateValidUntil.remove();
  const auditLag = gauge(
    "audit_syslog_lag_seconds",
    "Age of the oldest entry of the audit log that audit.syslog has not confirmed. It confirms once a minute.",
  );
  auditLag.remove();

  return {
    registry,
    buildInfo: gauge("build_info", "Always 1; the labels describe the running version.", [
      "version",
      "node",
      "database",
    ]),
    requests: histogram("http_request_duration_seconds", "Responses, and the time from request to response.", quick, [
      "route",
      "method",
      "status",
    ]),
    signIns: counter("sign_ins_total", "Sign-ins: tokens issued, or a proof refused.", ["method", "result"]),
    tokenGrants: counter("token_grants_total", "Calls of POST /oauth2/token by authenticated clients.", [
      "grant",
      "result",
    ]),
    refreshes: counter("refreshes_total", "Calls of POST /auth/refresh.", ["result"]),
    validates: counter("validates_total", "Calls of GET /auth/validate.", ["result"]),
    rateLimited: counter("rate_limited_total", "429 responses by limit; password-hashes means a full queue.", [
      "limit",
    ]),
    dpopProofs: counter("dpop_proofs_total", "DPoP proofs; replayed: used before.", ["result"]),
    hashWait: histogram("password_hash_wait_seconds", "Time that a password waited to be hashed.", quick),
    hashesRunning: gauge("password_hashes_running", "Passwords being hashed."),
    hashesWaiting: gauge("password_hashes_waiting", "Passwords waiting to be hashed."),
    transactions: histogram(
      "database_transaction_seconds",
      "Time from requesting a transaction until it is durable.",
      quick,
      ["result"],
    ),
    databaseUp: gauge("database_up", "1 if the database responded to this scrape."),
    databaseWritable: gauge(
      "database_writable",
      "0 while the database is not writable (read-only, or disk full). Sign-ins fail then.",
    ),
    databasePing: gauge("database_ping_seconds", "Duration of a small read at this scrape."),
    databaseWaiting: gauge("database_waiting", "Waiting transactions (SQLite) or callers of the pool (PostgreSQL)."),
    connections: gauge("database_connections", "Connections to PostgreSQL.", ["state"]),
    certificateValidUntil,
    auditLag,
    webhookAttempts: histogram(
      "webhook_attempt_seconds",
      "Delivery attempts of webhooks and logout tokens, and their duration.",
      slow,
      ["result"],
    ),
    webhooksWaiting: gauge(
      "webhook_backlog",
      "Webhooks and logout tokens waiting to be sent or retried, counted up to 10,000.",
    ),
    webhooksOverdue: gauge("webhook_overdue_seconds", "Age of the oldest due webhook or logout token."),
    revocationsSent: counter("revocations_sent_total", "Entries in answers of GET /auth/revocations."),
    feedWaits: gauge("revocation_waits", "Waiting calls of GET /auth/revocations; at most 1,000."),
    puzzles: counter("sign_in_puzzles_total", "Puzzles of sign-ins by password.", ["result"]),
    forwardAuthChecks: counter("forward_auth_checks_total", "Checks of reverse proxies; sign-in: not signed in.", [
      "result",
    ]),
    mailAttempts: counter("mail_attempts_total", "Mail delivery attempts.", ["result"]),
    mailsLimited: counter("mails_limited_total", "Mails requested by visitors but blocked by a limit.", [
      "purpose",
      "limit",
    ]),
    mailsWaiting: gauge("mail_backlog", "Mails waiting to be sent or retried, counted up to 10,000."),
    mailsOverdue: gauge("mail_overdue_seconds", "Age of the oldest due mail."),
  };
}
