/** Why a readable database cannot be written. */
export type WriteProblem = "read-only" | "disk-full" | "disk-error";

/** By the error codes of SQLite and PostgreSQL. */
const problems: [code: RegExp, problem: WriteProblem][] = [
  [/^(?:SQLITE_FULL|53100)$/u, "disk-full"],
  [/^(?:SQLITE_READONLY.*|25006)$/u, "read-only"],
  [/^(?:SQLITE_IOERR.*|58030)$/u, "disk-error"],
];

/** The disk problem behind `error` or its causes; undefined for any other failure. */
export function writeProblemOf(error: unknown): WriteProblem | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code = "", routine } = cause as { code?: unknown; routine?: unknown };
    // A standby answers this code for the rate limit counts, whose table is UNLOGGED.
    if (code === "0A000" && routine === "get_relation_info") return "read-only";
    const problem = problems.find(([form]) => form.test(String(code)));
    if (problem) return problem[1];
  }
  return undefined;
}

/** For people: the problem and its fix. */
export type WriteProblemText = { reason: string; fix: string };

export const writeProblemTexts: Record<WriteProblem, WriteProblemText> = {
  "read-only": {
    reason: "the database is read-only",
    fix: "make it writable: default_transaction_read_only or a standby (PostgreSQL), file, folder or disk (SQLite)",
  },
  "disk-full": { reason: "the database disk is full", fix: "free space on the database disk" },
  "disk-error": {
    reason: "the database disk reports errors",
    fix: "check the system log: the disk may be failing, full or read-only",
  },
};
