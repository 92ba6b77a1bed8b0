import type { Change } from "../../upkeep/desired-state/difference.ts";
import type { UsedReference } from "../../upkeep/desired-state/references.ts";
import { visible } from "./text.ts";

const signs = { create: "+", update: "~", delete: "-" } as const;
const kinds = {
  application: "application",
  provider: "provider",
  webhook: "webhook",
  resource: "resource",
  client: "client",
  group: "group",
  clientSecret: "client secret",
  apiKey: "API key",
} as const;

/** Planned or applied changes: an object per line, its fields below. */
export function changesText(changes: Change[]): string {
  return changes.map(changeText).join("");
}

/** Each secret of the file: its source, purpose and destination. */
export function referencesText(references: UsedReference[]): string {
  if (references.length === 0) return "";
  const lines = references.map(({ reference, field, application, name, host }) => {
    const what = [field, "of", ...(name === null ? [] : [name, "of"]), application].join(" ");
    return `    ${reference} (${what}): ${host === null ? "not sent anywhere" : `sent to ${host}`}`;
  });
  return ["Secrets", ...lines].map((line) => `${visible(line)}\n`).join("");
}

/** `2 to create, 1 to change, 1 to delete` */
export function summaryText(changes: Change[]): string {
  if (changes.length === 0) return "No difference.";
  const count = (action: Change["action"]): number => changes.filter((change) => change.action === action).length;
  return `${count("create")} to create, ${count("update")} to change, ${count("delete")} to delete.`;
}

function changeText(change: Change): string {
  const { action, kind, application, name, users, keptIdentities, fields } = change;
  const object =
    kind === "application"
      ? `application ${application}${users === undefined ? "" : ` and its ${usersText(users)}`}`
      : [kinds[kind], name, "of", application].filter(Boolean).join(" ") + keptText(keptIdentities);
  const lines = fields.flatMap((field): string[] => {
    if ("secret" in field) return [`${field.field}: ${action === "create" ? "set" : "changed"}, not shown`];
    const { before, after } = field;
    if (action === "create") return after === null ? [] : [`${field.field}: ${valueText(after)}`];
    return [`${field.field}: ${valueText(before)} -> ${valueText(after)}`];
  });
  return [`${signs[action]} ${object}`, ...lines.map((line) => `    ${line}`)]
    .map((line) => `${visible(line)}\n`)
    .join("");
}

function keptText(identities: number | undefined): string {
  return identities === undefined ? "" : ` (linked identities that stay: ${identities.toLocaleString("en")})`;
}

/** `1 user`, `1,234 users` */
export function usersText(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "user" : "users"}`;
}

function valueText(value: unknown): string {
  return value === null ? "none" : JSON.stringify(value);
}
