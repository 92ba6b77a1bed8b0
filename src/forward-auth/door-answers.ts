/** What a door answers to somebody who may not go through. nginx asks for the page afterwards. */
import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Context } from "../runtime/context.ts";
import type { Asked } from "./asked.ts";
import type { ProtectedHost, ProxyLogin, Refusal } from "./logins.ts";
import { navigationOf, type HeaderOf } from "./navigation.ts";
import { refusedPage } from "./session-pages.ts";
import { notAllowed, notSignedIn } from "./short-answers.ts";
import { toStart, unlessPage } from "./start-pages.ts";

/** `login` is undefined for a token. `missing`: what the identity rests on. */
export type TurnedAway = { host: ProtectedHost } & (
  | { kind: "out" }
  | { kind: "refused"; login: ProxyLogin | undefined; refusal: Refusal; missing?: string }
);

export async function turnedAway(
  ctx: Context,
  { door, method, uri }: Asked,
  decision: TurnedAway,
  request: HttpRequest,
): Promise<Answer> {
  const { host } = decision;
  const header: HeaderOf = (name) => request.header(name);
  if (decision.kind === "out") {
    if (door === "nginx") return notSignedIn(host, request);
    return (await unlessPage(ctx, { host, request }, { method, header })) ?? toStart(ctx, host, uri);
  }
  const { login, refusal, missing } = decision;
  if (door === "nginx" || !login || navigationOf(method, header) === "none") return notAllowed(refusal, missing);
  return await refusedPage(ctx, { host, request }, { login, refusal, uri, ...(missing !== undefined && { missing }) });
}
