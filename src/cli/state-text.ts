import type { Change } from "../desired-state/difference.ts";
import { visible } from "./text.ts";

const signs = { create: "+", update: "~", delete: "-" } as const;
const kinds = { application: "application", provider: "provider", webhook: "webhook", apiKey: "API key" } as const;

/** What would change, or has: an object a line, its fields below it. */
export function changesText(changes: Change[]): string {
  return changes.map(changeText).join("");
}

/** `2 to create, 1 to change, 1 to delete` */
export function summaryText(changes: Change[]): string {
  if (changes.length === 0) return "No difference.";
  const count = (action: Change["action"]): number => changes.filter((change) => change.action === action).length;
  return `${count("create")} to create, ${count("update")} to change, ${count("delete")} to delete.`;
}

function changeText(change: Change): string {
  const { action, kind, application, name, users, fields } = change;
  const object =
    kind === "application"
      ? `application ${application}${users === undefined ? "" : ` and its ${usersText(users)}`}`
      : [kinds[kind], name, "of", application].filter(Boolean).join(" ");
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

/** `1 user`, `1,234 users` */
export function usersText(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "user" : "users"}`;
}

function valueText(value: unknown): string {
  return value === null ? "none" : JSON.stringify(value);
}
