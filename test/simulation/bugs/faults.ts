/** Faults of the product that only show when something around it fails. */
import type { Bug } from "../planted.ts";

export const faultBugs: readonly Bug[] = [
  {
    name: "degraded-for-ever",
    file: "storage/errors/writability.ts",
    replaced: "      problem = undefined;\n    } catch",
    by: "    } catch",
    oracle: "O10",
  },
  {
    name: "a-failed-job-stays",
    file: "storage/sqlite/write-queue.ts",
    replaced: "      if (failed) rollbackTo.run();\n",
    by: "",
    oracle: "O10",
  },
  {
    name: "events-of-the-future-wait",
    file: "records/webhooks/deliveries.ts",
    replaced: "if (now < deliveryQueue(ctx).lookedAt - clockSkew) await",
    by: "if (now < deliveryQueue(ctx).lookedAt - 1e6 * clockSkew) await",
    oracle: "O10",
  },
];

/** The control: a database that acknowledges commits and rolls some of them back. */
export const lyingCommits: Bug = {
  name: "commits-that-lie",
  file: "storage/sqlite/write-queue.ts",
  replaced: "      commit.run();\n",
  // Set-up is over once somebody has signed in.
  by: `      const lies = commit as unknown as { count: number };
      if (connection.prepare("SELECT 1 FROM logins").get()) lies.count = (lies.count || 0) + 1;
      (lies.count % 50 === 0 ? rollback : commit).run();
`,
  oracle: "O4",
};
