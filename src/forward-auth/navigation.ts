import { namesHtml } from "../http/accept.ts";

/** What a request header says, by its lower-case name. */
export type HeaderOf = (name: NavigationHeader) => string | undefined;

export type NavigationHeader =
  | "accept"
  | "hx-request"
  | "sec-fetch-dest"
  | "sec-fetch-mode"
  | "turbo-frame"
  | "x-requested-with";

/**
 * How somebody who is not signed in asks. `page`: a person opens it, so they are sent to sign in.
 * `frame`: within another page. `form`: a person posts it. `none`: a script or a program.
 */
export type Navigation = "page" | "frame" | "form" | "none";

/** `method`: of the request to the program (docs/spec/protecting.md, 5). */
export function navigationOf(method: string, header: HeaderOf): Navigation {
  const isRead = method === "GET" || method === "HEAD";
  const mode = header("sec-fetch-mode");
  if (mode === undefined) return isRead && asksForPage(header) ? "page" : "none";
  if (mode !== "navigate") return "none";
  if (header("sec-fetch-dest") !== "document") return "frame";
  if (isRead) return "page";
  return method === "POST" ? "form" : "none";
}

/** Libraries that load parts of a page name themselves. */
function asksForPage(header: HeaderOf): boolean {
  const isScript = (["x-requested-with", "hx-request", "turbo-frame"] as const).some(
    (name) => header(name) !== undefined,
  );
  return !isScript && namesHtml(header("accept") ?? "");
}
