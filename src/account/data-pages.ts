import { isAnswer } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { isoTime } from "../lib/clock.ts";
import { deleteAccountPage, downloadPage } from "../pages/account/confirm-pages.ts";
import { accountPath } from "../pages/account/parts.ts";
import type { Profiles } from "../users/profile.ts";
import type { AccountExport } from "./export.ts";
import { byUser, type AccountVisits } from "./visits.ts";

/** Downloading one's data and deleting the account. */
export function createDataPages(deps: { visits: AccountVisits; accountExport: AccountExport; profiles: Profiles }) {
  const { visits, accountExport, profiles } = deps;

  return {
    /** GET /account/data */
    async downloadForm(request: HttpRequest): Promise<Answer> {
      const visit = await visits.visitProven(request, "data");
      if (isAnswer(visit)) return visit;
      const data = { appId: visit.application.id, token: visit.browser.formToken };
      return visits.page(visit, downloadPage(visit.frame, data));
    },

    /** POST /account/data */
    async download(request: HttpRequest): Promise<Answer> {
      const posted = await visits.postProven(request, "data");
      if (isAnswer(posted)) return posted;
      const { exportedAt, ...content } = await accountExport.of(posted.user, byUser(posted));
      return {
        status: 200,
        headers: {
          "content-type": "application/json; charset=utf-8",
          "content-disposition": `attachment; filename="account-${isoTime(exportedAt).slice(0, 10)}.json"`,
          "cache-control": "no-store",
        },
        body: `${JSON.stringify({ exportedAt: isoTime(exportedAt), ...content }, null, 2)}\n`,
      };
    },

    /** GET /account/delete */
    async deleteForm(request: HttpRequest): Promise<Answer> {
      const visit = await visits.visitProven(request, "delete");
      if (isAnswer(visit)) return visit;
      const { user, application, browser, frame } = visit;
      const account = user.email ?? user.name ?? user.id;
      return visits.page(visit, deleteAccountPage(frame, { appId: application.id, token: browser.formToken, account }));
    },

    /** POST /account/delete */
    async remove(request: HttpRequest): Promise<Answer> {
      const posted = await visits.postProven(request, "delete");
      if (isAnswer(posted)) return posted;
      await profiles.delete(posted.user.id, byUser(posted));
      return visits.leave(posted, "/deleted");
    },

    /** GET /account/deleted */
    async deleted(request: HttpRequest): Promise<Answer> {
      const guest = await visits.meet(request);
      if (isAnswer(guest)) return guest;
      // A link from elsewhere must not frighten anyone with this page.
      const isMeant = !guest.signedIn && !visits.isCrossSite(request);
      return isMeant ? visits.end(guest, { kind: "deleted" }) : seeOther(accountPath(guest.application.id));
    },
  };
}
