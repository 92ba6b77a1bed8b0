// Loaded into a process with `--import`: notes, of each SQLite connection that it closes, how that was set up. From outside nobody can see that.
import { appendFileSync } from "node:fs";
import Database from "better-sqlite3";

// eslint-disable-next-line typescript/unbound-method -- called with its connection below
const close = Database.prototype.close;
Database.prototype.close = function (this: Database.Database) {
  const [synchronous, journal, readsOnly] = ["synchronous", "journal_mode", "query_only"].map((name) =>
    this.pragma(name, { simple: true }),
  );
  appendFileSync(process.env["PRAGMA_PROBE_FILE"] ?? "", `${JSON.stringify({ synchronous, journal, readsOnly })}\n`);
  return close.call(this);
};
