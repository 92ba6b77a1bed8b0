/** Faults of organizations as a whole: who may change them, and what is told of it. */
import { alone, type Bug } from "../planted.ts";

const planted: readonly Bug[] = [
  {
    name: "log-of-other-applications",
    file: "records/audit/store.ts",
    replaced: "        appId === undefined ? undefined : is(events.appId, appId),\n",
    by: "",
    oracle: "O9",
  },
  {
    name: "admin-adds-anybody",
    file: "organizations/members.ts",
    replaced: '    if (!member && rank !== "server") throw notAllowed();\n',
    by: "",
    oracle: "O8",
  },
  {
    name: "nobody-reads-of-an-owner",
    file: "organizations/members.ts",
    replaced: "  await ownersChanged(ctx, tx, organization, { added }, now);\n",
    by: "",
    oracle: "O10",
  },
  {
    name: "set-up-link-without-a-maker",
    file: "companies/setup-links.ts",
    replaced: "const makerId = acting.member?.userId ?? null;",
    by: "const makerId: string | null = null;",
    oracle: "O4",
  },
  {
    name: "ended-set-up-link-works",
    file: "organizations/provider/setup-links.ts",
    replaced: "!link || link.endedAt !== null || ",
    by: "!link || ",
    oracle: "O1",
  },
  {
    name: "demanded-before-it-was-used",
    file: "companies/service.ts",
    replaced: "  if (required) await requireUse(tx, active, rank, acting, now);\n",
    by: "",
    oracle: "O8",
  },
];

export const founderBugs: readonly Bug[] = planted.map((bug) => ({ ...bug, without: alone("founders") }));
