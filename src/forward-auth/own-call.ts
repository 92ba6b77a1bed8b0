import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Context } from "../runtime/context.ts";
import type { ProtectedHost, ProxyLogin } from "./logins.ts";

/** A request at a protected host itself; `login` is that of its cookie. */
export type OwnCall = { host: ProtectedHost; login: ProxyLogin | undefined; request: HttpRequest };

export type OwnHandler = (ctx: Context, call: OwnCall) => Answer | Promise<Answer>;

/** The files of the pages, whose names have a digest. */
export const assetFolder = "/.authsvc/assets/";
