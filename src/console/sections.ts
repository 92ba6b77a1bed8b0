import type { OperatorRole } from "../storage/column-types.ts";

/** The entries of the menu, in their order. */
export const sections = [
  { name: "Overview", path: "/console/overview", role: "viewer", isGlobal: false },
  { name: "People", path: "/console/people", role: "viewer", isGlobal: false },
  { name: "Applications", path: "/console/applications", role: "viewer", isGlobal: false },
  { name: "Webhooks", path: "/console/webhooks", role: "viewer", isGlobal: false },
  { name: "Mail", path: "/console/mail", role: "viewer", isGlobal: false },
  { name: "Keys", path: "/console/keys", role: "viewer", isGlobal: true },
  { name: "Capacity", path: "/console/capacity", role: "viewer", isGlobal: true },
  { name: "Agents", path: "/console/agents", role: "viewer", isGlobal: false },
  { name: "Audit", path: "/console/audit", role: "viewer", isGlobal: false },
  { name: "Service", path: "/console/service", role: "viewer", isGlobal: true },
  { name: "Team", path: "/console/operators", role: "owner", isGlobal: true },
] as const satisfies {
  name: string;
  path: string;
  role: OperatorRole;
  /** About the whole service. */
  isGlobal: boolean;
}[];

export type Section = (typeof sections)[number]["name"];
