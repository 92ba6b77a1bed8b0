import type { OperatorRole } from "../storage/column-types.ts";

/** The entries of the menu, in their order. */
export const sections = [
  { name: "Overview", path: "/console/overview", role: "viewer", isGlobal: false, isForTeam: false },
  { name: "People", path: "/console/people", role: "viewer", isGlobal: false, isForTeam: false },
  { name: "Applications", path: "/console/applications", role: "viewer", isGlobal: false, isForTeam: false },
  { name: "Webhooks", path: "/console/webhooks", role: "viewer", isGlobal: false, isForTeam: false },
  { name: "Mail", path: "/console/mail", role: "viewer", isGlobal: false, isForTeam: false },
  { name: "Keys", path: "/console/keys", role: "viewer", isGlobal: true, isForTeam: false },
  { name: "Capacity", path: "/console/capacity", role: "viewer", isGlobal: true, isForTeam: false },
  { name: "Agents", path: "/console/agents", role: "viewer", isGlobal: false, isForTeam: false },
  { name: "Audit", path: "/console/audit", role: "viewer", isGlobal: false, isForTeam: false },
  { name: "Service", path: "/console/service", role: "viewer", isGlobal: true, isForTeam: false },
  { name: "Operators", path: "/console/operators", role: "owner", isGlobal: true, isForTeam: true },
] as const satisfies {
  name: string;
  path: string;
  role: OperatorRole;
  /** About the whole service. */
  isGlobal: boolean;
  isForTeam: boolean;
}[];

export type Section = (typeof sections)[number]["name"];
