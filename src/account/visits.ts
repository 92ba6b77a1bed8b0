import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Actor } from "../audit/audit.ts";
import type { Browser, Browsers } from "../hosted/browser.ts";
import { appHome, isAnswer, type Guest, type Hosted, type PageSettings, type PostedForm } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import type { Html } from "../lib/html.ts";
import { accountEndPage, type AccountEnd } from "../pages/account/end-page.ts";
import { accountPath } from "../pages/account/parts.ts";
import type { Frame } from "../pages/parts/frame.ts";
import type { FreshProofs } from "../sign-in/fresh-proofs.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { User } from "../users/user.ts";
import type { Users } from "../users/service.ts";
import type { BrowserSessions } from "./browser-sessions.ts";
import type { BrowserSession } from "./store.ts";

/** Messages that the overview shows after a change on another page. */
export const plainNotices = [
  "profile",
  "verified",
  "email",
  "renamed",
  "removed",
  "password",
  "login-ended",
  "others-ended",
  "access-removed",
] as const;

export type PlainNotice = (typeof plainNotices)[number];

/** A browser on an application's account page, and the user signed in to it, if any. */
export type AccountGuest = Guest & { signedIn: { session: BrowserSession; user: User } | undefined };

/** A user signed in to the account page. */
export type AccountVisit = Guest & { session: BrowserSession; user: User };

export type AccountPosted = AccountVisit & PostedForm;

export type AccountVisits = ReturnType<typeof createAccountVisits>;

/** The actor of a posted form. */
export function byUser({ user, clientInfo }: AccountPosted): { actor: Actor; clientInfo: ClientInfo } {
  return { actor: { kind: "user", name: user.id }, clientInfo };
}

/** What the pages of an account share: the signed-in user, and whether their proof is fresh. */
export function createAccountVisits(deps: {
  hosted: Hosted;
  browsers: Browsers;
  browserSessions: BrowserSessions;
  applications: Applications;
  users: Users;
  signIn: SignIn;
  freshProofs: FreshProofs;
  /** Throws RATE_LIMITED. */
  countStart(ipAddress: string): Promise<void>;
}) {
  const { hosted, browsers, browserSessions, applications, users, signIn, freshProofs, countStart } = deps;

  function end(frame: Frame, content: AccountEnd, settings: PageSettings = {}): Answer {
    return hosted.page(frame, accountEndPage(frame, content), settings);
  }

  async function signedInWith(browser: Browser, application: Application): Promise<AccountGuest["signedIn"]> {
    // Without a cookie there is no session.
    if (browser.setCookie !== undefined) return undefined;
    const session = await browserSessions.find(browser.digest, application.id);
    // The session's method must still be allowed: passkeys may be required or passwords disabled by
    // now.
    if (!session || !applications.accepts(application, session.signedInWith, null)) return undefined;
    const user = await users.find(session.userId);
    return user && user.disabledAt === null ? { session, user } : undefined;
  }

  /** Those with an account page that is open in this browser. */
  async function applicationsHere(request: HttpRequest): Promise<Application[]> {
    const sessions = await browserSessions.findAll(browsers.digests(request));
    const found = await Promise.all(sessions.map(({ appId }) => applications.find(appId)));
    return found.filter((application) => application !== undefined);
  }

  async function meet(request: HttpRequest): Promise<AccountGuest | Answer> {
    const appId = request.query().get("app_id");
    const signedInTo = appId === undefined ? await applicationsHere(request) : [];
    const [only] = signedInTo.length === 1 ? signedInTo : [await applications.findOnly()];
    const application = appId === undefined ? only : await applications.find(appId);
    if (!application) {
      const apps = signedInTo.map(({ id, name }) => ({ name, path: accountPath(id) }));
      return end(hosted.frameFor(request), { kind: "no-app", apps }, { status: appId === undefined ? 200 : 404 });
    }
    const browser = browsers.meet(request, { kind: "account", key: application.id });
    const signedIn = await signedInWith(browser, application);
    const setting = { application, locale: signedIn?.user.locale ?? null, backUrl: appHome(application) };
    return { request, application, browser, frame: hosted.frameFor(request, setting), signedIn };
  }

  async function visit(request: HttpRequest): Promise<AccountVisit | Answer> {
    const guest = await meet(request);
    if (isAnswer(guest)) return guest;
    const { signedIn, ...rest } = guest;
    return signedIn ? { ...rest, ...signedIn } : seeOther(accountPath(guest.application.id));
  }

  async function post(request: HttpRequest): Promise<AccountPosted | Answer> {
    return await hosted.post(request, () => visit(request));
  }

  /**
   * Starts a sign-in that returns to the account page, at one of its pages. It writes a row, so it
   * is rate limited.
   */
  async function begin(guest: Guest, asked: { user?: User; next?: string }, page = ""): Promise<Answer> {
    await countStart(guest.request.ipAddress);
    const { authUrl } = await signIn.initiateAccount(guest.application, {
      accountUserId: asked.user?.id ?? null,
      locale: asked.user?.locale ?? null,
      state: asked.next ?? null,
    });
    return seeOther(authUrl + page);
  }

  /**
   * The visit if its proof is fresh; otherwise a redirect to a new proof, which continues with
   * `next`.
   */
  async function proven<V extends AccountVisit>(found: V | Answer, next: string): Promise<V | Answer> {
    if (isAnswer(found)) return found;
    const isProven = await freshProofs.isFresh(found.session, found.application);
    return isProven ? found : await begin(found, { user: found.user, next });
  }

  return {
    meet,

    visit,

    post,

    begin,

    /**
     * For actions that an unattended browser must not allow. `next` is the page to return to, as
     * `nextPage` reads it.
     */
    async visitProven(request: HttpRequest, next: string): Promise<AccountVisit | Answer> {
      return await proven(await visit(request), next);
    },

    async postProven(request: HttpRequest, next: string): Promise<AccountPosted | Answer> {
      return await proven(await post(request), next);
    },

    isProven: async ({ session, application }: AccountVisit) => await freshProofs.isFresh(session, application),

    page(guest: Guest, body: Html, settings: PageSettings = {}): Answer {
      return hosted.page(guest.frame, body, settings);
    },

    end: (guest: Guest, content: AccountEnd, settings?: PageSettings) => end(guest.frame, content, settings),

    /** The same answer for a missing method or login and for another user's. */
    notFound: (guest: Guest) =>
      end(guest.frame, { kind: "not-found", path: accountPath(guest.application.id) }, { status: 404 }),

    isCrossSite: browsers.isCrossSite,

    /** Redirects to the first page of the account with a message. */
    done({ application }: Guest, notice: PlainNotice): Answer {
      return seeOther(`${accountPath(application.id)}&notice=${notice}`);
    },

    /** Redirects and removes the cookie of this page. */
    leave({ application }: Guest, page: string): Answer {
      const cookie = browsers.forget({ kind: "account", key: application.id });
      return { ...seeOther(accountPath(application.id, page)), cookies: [cookie] };
    },
  };
}
