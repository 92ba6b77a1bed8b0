import { facts } from "./text.ts";

const instants = new Set(["iat", "exp", "nbf", "auth_time"]);

/** The claims of a token, one per line; times also in readable form. */
export function claimsText(claims: Record<string, unknown>): string {
  return facts(Object.entries(claims).map(([name, value]) => [name, claimText(name, value)]));
}

function claimText(name: string, value: unknown): string {
  if (instants.has(name) && typeof value === "number") return `${value} (${instantText(value)})`;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A token may claim any number. */
function instantText(epochSeconds: number): string {
  const date = new Date(epochSeconds * 1000);
  return Number.isNaN(date.getTime()) ? "invalid time" : date.toISOString();
}
