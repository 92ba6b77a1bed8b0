/** Downloading one's data and deleting the account. */
import { hasOrganizations } from "../../applications/application.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { isoTime } from "../../lib/clock.ts";
import { listOwnedAlone } from "../../organizations/membership-store.ts";
import type { Context } from "../../runtime/context.ts";
import * as accountExport from "../../people/account-export.ts";
import * as profiles from "../../people/profile.ts";
import * as browsers from "../hosted/browser.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { deleteAccountPage, downloadPage } from "./confirm-pages.ts";
import { organizationPath } from "./organization-page.ts";
import { accountPath } from "./parts.ts";
import * as accountVisits from "./visits.ts";
import { byUser } from "./visits.ts";

/** GET /account/data */
export async function downloadForm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visitProven(ctx, request, "data");
  if (isAnswer(visit)) return visit;
  const data = { appId: visit.application.id, token: visit.browser.formToken };
  return accountVisits.page(visit, downloadPage(visit.frame, data));
}

/** POST /account/data */
export async function download(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.postProven(ctx, request, "data");
  if (isAnswer(posted)) return posted;
  const acted = await accountVisits.act(ctx, posted, "data", (within) =>
    accountExport.of(within, posted.user, byUser(posted)),
  );
  if (!("done" in acted)) return acted;
  const { exportedAt, ...content } = acted.done;
  return {
    status: 200,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "content-disposition": `attachment; filename="account-${isoTime(exportedAt).slice(0, 10)}.json"`,
      "cache-control": "no-store",
    },
    body: `${JSON.stringify({ exportedAt: isoTime(exportedAt), ...content }, null, 2)}\n`,
  };
}

/** GET /account/delete */
export async function deleteForm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visitProven(ctx, request, "delete");
  if (isAnswer(visit)) return visit;
  const { user, application, browser, frame } = visit;
  const account = user.email ?? user.name ?? user.id;
  const alone = hasOrganizations(application) ? await listOwnedAlone(ctx.storage.reader, user.id) : [];
  const ownerless = alone.map(({ organizationId, ...rest }) => {
    return { ...rest, path: `${organizationPath(application.id, organizationId)}#members` };
  });
  return accountVisits.page(
    visit,
    deleteAccountPage(frame, { appId: application.id, token: browser.formToken, account, ownerless }),
  );
}

/** POST /account/delete */
export async function remove(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.postProven(ctx, request, "delete");
  if (isAnswer(posted)) return posted;
  const acted = await accountVisits.act(ctx, posted, "delete", (within) =>
    profiles.remove(within, posted.user.id, byUser(posted)),
  );
  return "done" in acted ? accountVisits.leave(ctx, posted, "/deleted") : acted;
}

/** GET /account/deleted */
export async function deleted(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.meet(ctx, request);
  if (isAnswer(visit)) return visit;
  // A link from elsewhere must not frighten anyone with this page.
  const isMeant = !visit.signedIn && !browsers.isCrossSite(ctx, request);
  return isMeant ? accountVisits.end(visit, { kind: "deleted" }) : seeOther(accountPath(visit.application.id));
}
