/** The rule of rights as the specification tells it, beside the code: giver × before × after. */

export const addedRoles = ["billing", "audit:owners"];

/** What a member has. */
export const roleSets = [["owner"], ["admin"], ["member"], ["billing"], ["audit"], ["audit", "member"]];

/** What a member gets; undefined: they are removed. */
export const nextRoleSets = [...roleSets, undefined];

/** Only owners give, take and touch these. */
const owners = new Set(["owner", "admin", "audit"]);

export type Giver = "owner" | "admin" | "member" | "stranger" | "former" | "disabled";

export function mayChange(giver: Giver, before: readonly string[], after: readonly string[] = []): boolean {
  if (giver !== "admin") return giver === "owner";
  if (before.includes("owner") || before.includes("admin")) return false;
  return ![...before, ...after].some((role) => owners.has(role) && before.includes(role) !== after.includes(role));
}
