import { html, type Html } from "../../lib/html.ts";
import { lengthBar } from "../charts/bars.ts";
import { amount, part, shown } from "../parts/data.ts";
import { table } from "../parts/table.ts";
import type { ApplicationActivity, Counted } from "./activity.ts";
import { methodName, providerOf } from "./kind-names.ts";

type Row = { name: Html; signIns: number; failures: number };

const rowsShown = 10;

/** Sign-ins and failures by method. */
export function byMethod(counted: readonly Counted[]): Html {
  const rows = rowsBy(counted, ({ kind }) => methodName(providerOf(kind) === undefined ? kind : "oauth"));
  return part("By method", tableOf("Sign-ins by method", "Method", rows));
}

/** A failure does not name the provider. */
export function byProvider(counted: readonly Counted[]): Html {
  const rows = rowsBy(
    counted.filter(({ kind }) => providerOf(kind) !== undefined),
    ({ kind }) => providerOf(kind) ?? "",
  );
  return part("By provider", tableOf("Sign-ins by provider", "Provider", rows, { failures: false }));
}

/** The busiest ones; each leads to its own numbers. */
export function byApplication(
  applications: readonly { id: string; name: string }[],
  { days, of }: ApplicationActivity,
  pathOf: (appId: string) => string,
): Html {
  const rows = applications
    .map(({ id, name }) => ({
      name: html`<a href="${pathOf(id)}">${shown(name)}</a>`,
      ...(of.get(id) ?? { signIns: 0, failures: 0 }),
    }))
    .filter(({ signIns, failures }) => signIns + failures > 0)
    .toSorted((a, b) => b.signIns - a.signIns || b.failures - a.failures);
  const title = days === undefined ? "By application" : `By application, the last ${days} days of it`;
  return part(title, tableOf("Sign-ins by application", "Application", rows));
}

function rowsBy(counted: readonly Counted[], nameOf: (each: Counted) => string): Row[] {
  const sum = (each: Counted[], event: Counted["event"]): number =>
    each.reduce((total, one) => total + (one.event === event ? one.value : 0), 0);
  const relevant = counted.filter(({ event }) => event === "sign-in" || event === "sign-in.failed");
  return [...Map.groupBy(relevant, nameOf)]
    .map(([name, each]) => ({
      name: shown(name),
      signIns: sum(each, "sign-in"),
      failures: sum(each, "sign-in.failed"),
    }))
    .toSorted((a, b) => b.signIns - a.signIns);
}

/** Of all in the table. */
function share(value: number, total: number): Html {
  const percent = total === 0 ? 0 : Math.round((100 * value) / total);
  const words = percent === 0 && value > 0 ? "under 1" : String(percent);
  return html`${words} % ${lengthBar(value, total)}`;
}

function tableOf(caption: string, heading: string, rows: readonly Row[], { failures = true } = {}): Html {
  const total = rows.reduce((sum, { signIns }) => sum + signIns, 0);
  const id = heading.toLowerCase();
  return html`<div data-live="by-${id}">
    ${table(
      caption,
      rows.slice(0, rowsShown),
      [
        { heading, cell: ({ name }) => name },
        { heading: "Sign-ins", cell: ({ signIns }) => amount(signIns), isNumber: true },
        { heading: "Share", cell: ({ signIns }) => share(signIns, total) },
        ...(failures ? [{ heading: "Failed", cell: (row: Row) => amount(row.failures), isNumber: true }] : []),
      ],
      "None in this time.",
    )}
    ${rows.length > rowsShown && html`<p class="hint">The first ${rowsShown} of ${rows.length}.</p>`}
  </div>`;
}
