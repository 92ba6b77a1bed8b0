/** What a door answers to somebody who may not go through. nginx asks for the page afterwards. */
import { json, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Context } from "../runtime/context.ts";
import type { Asked } from "./asked.ts";
import type { Decision } from "./decision.ts";
import { navigationOf, type HeaderOf } from "./navigation.ts";
import { refusedPage } from "./session-pages.ts";
import { notSignedIn, toStart, unlessPage } from "./start-pages.ts";

export async function turnedAway(
  ctx: Context,
  { door, method, uri }: Asked,
  decision: Extract<Decision, { kind: "out" | "refused" }>,
  request: HttpRequest,
): Promise<Answer> {
  const { host } = decision;
  const header: HeaderOf = (name) => request.header(name);
  if (decision.kind === "out") {
    if (door === "nginx") return notSignedIn(host);
    return (await unlessPage(ctx, { host, request }, { method, header })) ?? toStart(ctx, host, uri);
  }
  if (door === "nginx" || navigationOf(method, header) === "none") return json({ error: "not_allowed" }, 403);
  const { login, refusal } = decision;
  return await refusedPage(ctx, { host, request }, { login, refusal, uri });
}
