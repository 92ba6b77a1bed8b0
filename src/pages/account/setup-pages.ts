/** Where somebody with a set-up link adds a domain and a provider. A code opens it each time. */
import { hasOrganizations } from "../../applications/application.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { AppError } from "../../lib/errors.ts";
import { typedCode } from "../../lib/typed-code.ts";
import { callbackAddress } from "../../companies/identify.ts";
import * as setupLinks from "../../companies/setup-links.ts";
import type { OpenLink } from "../../organizations/provider/setup-links.ts";
import type { Context } from "../../runtime/context.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer, type PostedForm } from "../hosted/hosted.ts";
import { codeProblemWords, type ProblemWords } from "../parts/problems.ts";
import { setupCodePage, setupPage } from "./setup-page.ts";
import * as accountVisits from "./visits.ts";
import type { AccountVisit } from "./visits.ts";

type SetupVisit = AccountVisit & { opened: OpenLink; isOpen: boolean };

async function meet(ctx: Context, request: HttpRequest): Promise<SetupVisit | Answer> {
  const visit = await accountVisits.meet(ctx, request);
  if (isAnswer(visit)) return visit;
  const opened = await setupLinks.findByLink(ctx, request.parameter("token"));
  const { application, browser } = visit;
  const isOff = !hasOrganizations(application) || application.settings.companySignIn !== "on";
  if (opened?.link.appId !== application.id || isOff) return await hosted.linkOver(ctx, request);
  return { ...visit, opened, isOpen: setupLinks.isOpenIn(opened.link, browser.digest, ctx.clock()) };
}

type Shown = { isSent?: boolean; entered?: Map<string, string>; problem?: ProblemWords | undefined };

async function show(ctx: Context, visit: SetupVisit, shown: Shown = {}, status = 200): Promise<Answer> {
  const { frame, browser, request, opened, isOpen } = visit;
  const { name, id } = opened.organization;
  const data = { path: request.path, token: browser.formToken, organization: name, ...shown };
  const body = isOpen
    ? setupPage(frame, {
        ...data,
        ...(await setupLinks.added(ctx, opened)),
        callbackUrl: callbackAddress(ctx, { organizationId: id }),
      })
    : setupCodePage(frame, { ...data, email: opened.link.email });
  return hosted.page(frame, body, { status, cookies: [browser.setCookie] });
}

/** GET /organization/setup/:token. Changes nothing: scanners open links, too. */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await meet(ctx, request);
  return isAnswer(visit) ? visit : await show(ctx, visit);
}

/** POST /organization/setup/:token */
export async function save(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => meet(ctx, request));
  if (isAnswer(posted)) return posted;
  return posted.isOpen ? await add(ctx, posted) : await enter(ctx, posted);
}

async function enter(ctx: Context, posted: SetupVisit & PostedForm): Promise<Answer> {
  const { opened, form, source, browser, request, frame } = posted;
  const browserDigest = browser.digest;
  if (!form.has("code")) {
    // The answer is the same if too many were asked for.
    await setupLinks.sendCode(ctx, opened, { secret: request.parameter("token"), browserDigest, source });
    return await show(ctx, posted, { isSent: true });
  }
  const code = typedCode(form.get("code") ?? "");
  if (code !== undefined && (await setupLinks.open(ctx, opened, { code, browserDigest, source }))) return again(posted);
  const kind = form.get("code") === "" ? "code-missing" : "code-wrong";
  return await show(ctx, posted, { isSent: true, problem: codeProblemWords(frame, { kind }) }, 422);
}

function again({ request }: SetupVisit): Answer {
  return seeOther(request.path);
}

async function add(ctx: Context, posted: SetupVisit & PostedForm): Promise<Answer> {
  const { opened, form, source, frame } = posted;
  const { texts } = frame;
  const text = (name: string): string => form.get(name) ?? "";
  const act = text("act");
  try {
    if (act === "add-domain" || act === "check-domain")
      await setupLinks.addDomain(ctx, opened, { domain: text("domain"), checks: act === "check-domain" }, source);
    else if (act === "provider") {
      const input = { issuer: text("issuer"), clientId: text("clientId"), clientSecret: text("clientSecret") };
      await setupLinks.addProvider(ctx, opened, input, source);
    }
    return again(posted);
  } catch (error) {
    const { code, rejected } = error instanceof AppError ? error : {};
    // The link ended while the page was open.
    if (code === "ORGANIZATION_NOT_FOUND") return await hosted.linkOver(ctx, posted.request);
    if (code !== "INVALID_REQUEST" && code !== "CONFLICT") throw error;
    const { field } = rejected ?? {};
    const problem: ProblemWords =
      field === "domain"
        ? { field, beside: texts.organizationDomainRefused }
        : field === "issuer"
          ? { field, beside: texts.ownProviderRefused(rejected?.rule ?? "") }
          : { summary: texts.setupRefused };
    return await show(ctx, posted, { entered: form, problem }, 422);
  }
}
