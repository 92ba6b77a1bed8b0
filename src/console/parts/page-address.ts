/** Addresses of the page that a request shows: an answer to a form belongs to the form's page. */
import type { Post, Visit } from "../route.ts";

type Shown = Pick<Visit, "request"> | Pick<Post, "form">;

/** What an act left in the address of the page after it. */
const ofTheAct = ["notice", "proof"];

/** This page as it is filtered, without the notice of an act. */
export function pageAddress(visit: Shown): string {
  const { pathname, searchParams } = pageOf(visit);
  return withQuery(pathname, searchParams);
}

/**
 * This page with some parameters changed; undefined removes one. An answer to a form shows lists
 * without their filters, so its links have none.
 */
export function pageWith(visit: Visit | Post, changes: Record<string, string | undefined>): string {
  const query = new URLSearchParams([...visit.request.query()]);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  return withQuery(pageOf(visit).pathname, query);
}

function pageOf(visit: Shown): URL {
  const base = "http://console/console";
  const page = URL.parse("form" in visit ? (visit.form.get("page") ?? "") : visit.request.path, base);
  return page?.pathname.startsWith("/console/") ? page : new URL(base);
}

function withQuery(path: string, query: URLSearchParams): string {
  for (const name of ofTheAct) query.delete(name);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
