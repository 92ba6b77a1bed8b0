// Loaded with `--import`: records the settings of each SQLite connection when it is closed. The
// lock of the data folder is a connection too, but holds no data.
import { appendFileSync } from "node:fs";
import { basename } from "node:path";
import Database from "better-sqlite3";

// eslint-disable-next-line typescript/unbound-method -- called with its connection below
const close = Database.prototype.close;
Database.prototype.close = function (this: Database.Database) {
  if (basename(this.name) === "serve.lock") return close.call(this);
  const [synchronous, journal, readsOnly] = ["synchronous", "journal_mode", "query_only"].map((name) =>
    this.pragma(name, { simple: true }),
  );
  appendFileSync(process.env["PRAGMA_PROBE_FILE"] ?? "", `${JSON.stringify({ synchronous, journal, readsOnly })}\n`);
  return close.call(this);
};
