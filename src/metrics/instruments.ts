import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

const quick = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const slow = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/**
 * Everything that is measured, by the names that `docs/deploying.md` lists. A label takes few values, all of ours: no id, address, name or text
 * that somebody chose.
 */
export function createInstruments() {
  const registry = new Registry();
  const registers = [registry];
  // process_… and nodejs_…, with the lag of the event loop: names that dashboards know.
  collectDefaultMetrics({ register: registry });

  const counter = <const L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Counter({ name: `authsvc_${name}`, help, labelNames, registers });
  const gauge = <const L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name: `authsvc_${name}`, help, labelNames, registers });
  const histogram = <const L extends string>(name: string, help: string, buckets: number[], labelNames: L[] = []) =>
    new Histogram({ name: `authsvc_${name}`, help, buckets, labelNames, registers });

  const certificateValidUntil = gauge("certificate_expiry_timestamp_seconds", "When listen.tls' certificate expires.");
  // Where there is none, 0 would be an alarm.
  certificateValidUntil.remove();

  return {
    registry,
    buildInfo: gauge("build_info", "Always 1: what is running.", ["version", "node", "database"]),
    requests: histogram("http_request_duration_seconds", "Answers, and the time from request to answer.", quick, [
      "route",
      "method",
      "status",
    ]),
    signIns: counter("sign_ins_total", "Sign-ins: an app got its tokens, or a proof was refused.", [
      "method",
      "result",
    ]),
    refreshes: counter("refreshes_total", "Calls of POST /auth/refresh.", ["result"]),
    validates: counter("validates_total", "Calls of GET /auth/validate.", ["result"]),
    rateLimited: counter("rate_limited_total", "Answers 429 by limit; password-hashes is a full queue.", ["limit"]),
    hashWait: histogram("password_hash_wait_seconds", "Time that a password waited for its turn to be hashed.", quick),
    hashesRunning: gauge("password_hashes_running", "Passwords being hashed."),
    hashesWaiting: gauge("password_hashes_waiting", "Passwords that wait to be hashed."),
    transactions: histogram(
      "database_transaction_seconds",
      "From asking for a transaction until it is durable.",
      quick,
      ["result"],
    ),
    databaseUp: gauge("database_up", "1 when the database answered this scrape."),
    databasePing: gauge("database_ping_seconds", "How long a small read took at this scrape."),
    databaseWaiting: gauge("database_waiting", "Transactions (SQLite) or callers of the pool (PostgreSQL) that wait."),
    connections: gauge("database_connections", "Connections to PostgreSQL.", ["state"]),
    certificateValidUntil,
    webhookAttempts: histogram("webhook_attempt_seconds", "Attempts at webhooks, and how long they took.", slow, [
      "result",
    ]),
    webhooksWaiting: gauge("webhook_backlog", "Webhooks to be sent or sent again, counted up to 10,000."),
    webhooksOverdue: gauge("webhook_overdue_seconds", "For how long the longest due webhook has been due."),
    mailAttempts: counter("mail_attempts_total", "Attempts at mails.", ["result"]),
    mailsWaiting: gauge("mail_backlog", "Mails to be sent or sent again, counted up to 10,000."),
    mailsOverdue: gauge("mail_overdue_seconds", "For how long the longest due mail has been due."),
  };
}
