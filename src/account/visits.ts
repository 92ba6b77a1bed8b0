import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Actor, Origin } from "../audit/audit.ts";
import type { Browser, Browsers } from "../hosted/browser.ts";
import { appHome, isAnswer, type Guest, type Hosted, type PageSettings, type PostedForm } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Html } from "../lib/html.ts";
import { accountEndPage, type AccountEnd } from "../pages/account-end-page.ts";
import { accountPath } from "../pages/account-parts.ts";
import type { Frame } from "../pages/frame.ts";
import type { Proofs } from "../sign-in/proofs.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { User } from "../users/user.ts";
import type { Users } from "../users/service.ts";
import type { BrowserSessions } from "./browser-sessions.ts";
import type { PlainNotice } from "./overview-pages.ts";
import type { BrowserSession } from "./store.ts";

/** A browser in front of the account page of an application, and who is signed in to it there. */
export type AccountGuest = Guest & { signedIn: { session: BrowserSession; user: User } | undefined };

/** Somebody who is signed in to the account page. */
export type AccountVisit = Guest & { session: BrowserSession; user: User };

export type AccountPosted = AccountVisit & PostedForm;

export type AccountVisits = ReturnType<typeof createAccountVisits>;

/** Who did what a posted form asks for. */
export function byUser({ user, origin }: AccountPosted): { actor: Actor; origin: Origin } {
  return { actor: { kind: "user", name: user.id }, origin };
}

/** What the pages of an account share: whose it is, and whether they proved it a moment ago. */
export function createAccountVisits(deps: {
  hosted: Hosted;
  browsers: Browsers;
  browserSessions: BrowserSessions;
  applications: Applications;
  users: Users;
  signIn: SignIn;
  proofs: Proofs;
  /** Throws RATE_LIMITED. */
  countStart(ipAddress: string): Promise<void>;
}) {
  const { hosted, browsers, browserSessions, applications, users, signIn, proofs, countStart } = deps;

  function end(frame: Frame, content: AccountEnd, settings: PageSettings = {}): Answer {
    return hosted.page(frame, accountEndPage(frame, content), settings);
  }

  async function signedInWith(browser: Browser, application: Application): Promise<AccountGuest["signedIn"]> {
    // Without a cookie there is nothing to look for.
    if (browser.setCookie !== undefined) return undefined;
    const session = await browserSessions.find(browser.digest, application.id);
    // What let them in must still let people in: a passkey may be required since, or passwords switched off.
    if (!session || !applications.accepts(application, session.signedInWith, null)) return undefined;
    const user = await users.find(session.userId);
    return user && user.disabledAt === null ? { session, user } : undefined;
  }

  async function meet(request: HttpRequest): Promise<AccountGuest | Answer> {
    const appId = request.query().get("app_id");
    const application = appId === undefined ? await applications.findOnly() : await applications.find(appId);
    if (!application) {
      const status = appId === undefined ? 200 : 404;
      return end(hosted.frameFor(request), { kind: "no-app" }, { status });
    }
    const browser = browsers.meet(request, { kind: "account", key: application.id });
    const signedIn = await signedInWith(browser, application);
    const setting = { application, locale: signedIn?.user.locale ?? null, backUrl: homeOf(application) };
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

  /** To a sign-in that comes back to the account page. It writes a row, which a visit alone must not do without being counted. */
  async function begin(guest: Guest, asked: { user?: User; next?: string }): Promise<Answer> {
    await countStart(guest.request.ipAddress);
    const { authUrl } = await signIn.initiateAccount(guest.application, {
      accountUserId: asked.user?.id ?? null,
      locale: asked.user?.locale ?? null,
      state: asked.next ?? null,
    });
    return seeOther(authUrl);
  }

  /** The visit with a proof of a moment ago; otherwise the way to one, after which `next` goes on. */
  async function proven<V extends AccountVisit>(found: V | Answer, next: string): Promise<V | Answer> {
    if (isAnswer(found)) return found;
    const isProven = await proofs.isFresh(found.session, found.application);
    return isProven ? found : await begin(found, { user: found.user, next });
  }

  return {
    meet,

    visit,

    post,

    begin,

    /** For what whoever finds an open browser must not do. `next` is the page to come back to, as `nextPage` reads it. */
    async visitProven(request: HttpRequest, next: string): Promise<AccountVisit | Answer> {
      return await proven(await visit(request), next);
    },

    async postProven(request: HttpRequest, next: string): Promise<AccountPosted | Answer> {
      return await proven(await post(request), next);
    },

    isProven: async ({ session, application }: AccountVisit) => await proofs.isFresh(session, application),

    page(guest: Guest, body: Html, settings: PageSettings = {}): Answer {
      return hosted.page(guest.frame, body, settings);
    },

    end: (guest: Guest, content: AccountEnd, settings?: PageSettings) => end(guest.frame, content, settings),

    /** For a method or login that is not there, whoever may have it. */
    notFound: (guest: Guest) =>
      end(guest.frame, { kind: "not-found", path: accountPath(guest.application.id) }, { status: 404 }),

    isCrossSite: browsers.isCrossSite,

    /** Back to the first page of the account, which says what has been done. */
    done({ application }: Guest, notice: PlainNotice): Answer {
      return seeOther(`${accountPath(application.id)}&notice=${notice}`);
    },

    /** Sends on, and takes the cookie of this page away. */
    leave({ application }: Guest, page: string): Answer {
      const cookie = browsers.forget({ kind: "account", key: application.id });
      return { ...seeOther(accountPath(application.id, page)), cookies: [cookie] };
    },
  };
}

function homeOf({ domain, redirectUris }: Application): string | undefined {
  if (domain !== null) return `https://${domain}/`;
  return redirectUris[0] === undefined ? undefined : appHome(redirectUris[0]);
}
