import { attribute, decoded, type Page } from "../support/person.ts";

/** What a browser would post with the form of `page` whose action ends with `action`. */
export function filled(page: Page, action: string): Record<string, string> {
  const form = [...page.text.matchAll(/<form\b([^>]*)>([^]*?)<\/form>/gu)].find(([, tag = ""]) =>
    attribute(tag, "action")?.endsWith(action),
  );
  if (!form) throw new Error(`no form ${action} in a page with status ${page.status}: ${page.text.slice(0, 2000)}`);
  const [, , inside = ""] = form;
  const fields: Record<string, string> = {};
  for (const [tag] of inside.matchAll(/<input\b[^>]*>/gu)) {
    const name = attribute(tag, "name");
    const isBox = attribute(tag, "type") === "checkbox";
    if (name !== undefined && (!isBox || /\bchecked\b/u.test(tag))) fields[name] = attribute(tag, "value") ?? "";
  }
  for (const [, tag = "", text = ""] of inside.matchAll(/<textarea\b([^>]*)>\n?([^]*?)<\/textarea\s*>/gu))
    fields[attribute(tag, "name") ?? ""] = decoded(text);
  for (const [, tag = "", options = ""] of inside.matchAll(/<select\b([^>]*)>([^]*?)<\/select>/gu)) {
    const all = [...options.matchAll(/<option\b[^>]*>/gu)].map(([option]) => option);
    const chosen = all.find((option) => /\bselected\b/u.test(option)) ?? all[0] ?? "";
    fields[attribute(tag, "name") ?? ""] = attribute(chosen, "value") ?? "";
  }
  return fields;
}
