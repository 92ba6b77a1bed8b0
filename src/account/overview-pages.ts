import type { Application } from "../applications/application.ts";
import type { Grants } from "../clients/grants.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Clock } from "../lib/clock.ts";
import { browserOf, deviceOf } from "../lib/user-agent.ts";
import type { MailService } from "../mail/service.ts";
import type { Methods } from "../methods/service.ts";
import type { ProviderClients } from "../oauth/provider-clients.ts";
import type { AccountLogin } from "../pages/account/logins.ts";
import { methodTitle, type AccountMethod, type AddableMethods } from "../pages/account/methods.ts";
import { accountPage, type AccountNotice } from "../pages/account/account-page.ts";
import { accountPath } from "../pages/account/parts.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { Passwords } from "../passwords/service.ts";
import type { Login } from "../tokens/login.ts";
import type { OwnLogins } from "../tokens/own-logins.ts";
import type { User } from "../users/user.ts";
import { plainNotices, type AccountGuest, type AccountVisit, type AccountVisits } from "./visits.ts";

export type OverviewPages = ReturnType<typeof createOverviewPages>;

/** The first page of an account: an overview of everything. */
export function createOverviewPages(deps: {
  visits: AccountVisits;
  methods: Methods;
  passkeys: Passkeys;
  passwords: Passwords;
  providerClients: ProviderClients;
  ownLogins: OwnLogins;
  grants: Grants;
  mail: MailService;
  clock: Clock;
}) {
  const { visits, methods, passkeys, passwords, providerClients, ownLogins, grants, mail, clock } = deps;

  /** A user's methods, oldest first, as their owner sees them. */
  async function methodsOf(user: User): Promise<AccountMethod[]> {
    const changedAt = await passwords.chosenAt(user.id);
    return (await methods.examined(user)).map(({ method, ...state }): AccountMethod => {
      if (method.type === "oauth")
        return { ...method, ...state, displayName: providerClients.displayName(method.provider) };
      return method.type === "password"
        ? { ...method, ...state, changedAt: changedAt ?? method.createdAt }
        : { ...method, ...state };
    });
  }

  async function addable(application: Application, user: User, has: AccountMethod[]): Promise<AddableMethods> {
    const { passkey, password, oauth } = application.authMethods;
    const connected = new Set(has.map((method) => (method.type === "oauth" ? method.provider : "")));
    const offered = oauth.enabled ? await providerClients.offered(application.id) : [];
    return {
      passkey: passkey.enabled && passkeys.available,
      // A password is entered with an address, so it needs one.
      password: password.enabled && user.email !== null && !has.some(({ type }) => type === "password"),
      providers: offered.filter(({ name }) => oauth.providers.includes(name) && !connected.has(name)),
    };
  }

  async function show(visit: AccountVisit, notice: AccountNotice | undefined, has: AccountMethod[]): Promise<Answer> {
    const { user, application, browser, session } = visit;
    const logins = await ownLogins.list(user.id);
    const body = accountPage(visit.frame, {
      appId: application.id,
      token: browser.formToken,
      now: clock(),
      notice,
      user,
      canVerify: mail.available,
      methods: has,
      adds: await addable(application, user, has),
      logins: logins.map((login) => loginFor(login, session.tie)),
      programs: await grants.list(user.id),
      signal: await passkeys.signalFor(application, user),
    });
    return visits.page(visit, body);
  }

  /**
   * For a browser that is not signed in. Someone who has just cancelled the sign-in is not sent
   * there again, nor an invited person who has just chosen a method.
   */
  async function showStranger(guest: AccountGuest, query: Map<string, string>): Promise<Answer> {
    const path = accountPath(guest.application.id);
    if (query.get("status") === "added") return visits.end(guest, { kind: "ready", path });
    if (!query.has("error")) return await visits.begin(guest, {});
    return visits.end(guest, { kind: "not-signed-in", path });
  }

  return {
    methodsOf,

    /** GET /account */
    async overview(request: HttpRequest): Promise<Answer> {
      const guest = await visits.meet(request);
      if (isAnswer(guest)) return guest;
      const { signedIn, ...rest } = guest;
      const query = request.query();
      if (!signedIn) return await showStranger(guest, query);
      const visit: AccountVisit = { ...rest, ...signedIn };
      const next = nextPage(query);
      if (next !== undefined && (await visits.isProven(visit)))
        return seeOther(accountPath(guest.application.id, next));
      const has = await methodsOf(visit.user);
      return await show(visit, noticeIn(visit, query, has), has);
    },

    /** GET /account/forgot-password: a new start for a mailed link that no longer works. */
    async forgotPassword(request: HttpRequest): Promise<Answer> {
      const guest = await visits.meet(request);
      if (isAnswer(guest)) return guest;
      return guest.signedIn
        ? seeOther(accountPath(guest.application.id))
        : await visits.begin(guest, {}, "/forgot-password");
    },

    /** GET /account/signed-out */
    async signedOut(request: HttpRequest): Promise<Answer> {
      const guest = await visits.meet(request);
      if (isAnswer(guest)) return guest;
      const path = accountPath(guest.application.id);
      return guest.signedIn ? seeOther(path) : visits.end(guest, { kind: "signed-out", path });
    },
  };

  /** A link from elsewhere must not make this page report what never happened. */
  function noticeIn(
    { request, frame }: AccountVisit,
    query: Map<string, string>,
    has: AccountMethod[],
  ): AccountNotice | undefined {
    const isAdded = ["added", "changed"].includes(query.get("status") ?? "");
    const added = isAdded && has.find(({ id }) => id === query.get("methodId"));
    if (added && added.type === "password") return { kind: "password" };
    if (added) return { kind: "added", name: methodTitle(frame, added) };
    const kind = plainNotices.find((known) => known === query.get("notice"));
    return kind === undefined || visits.isCrossSite(request) ? undefined : { kind };
  }
}

/** The page that was requested before the proof. Only pages that change nothing when opened. */
function nextPage(query: Map<string, string>): string | undefined {
  const next = query.get("state") ?? "";
  if (query.has("error")) return undefined;
  if (next === "delete" || next === "data" || next === "email") return `/${next}`;
  const methodId = /^remove-(mth_[0-9a-z]+)$/u.exec(next)?.[1];
  return methodId === undefined ? undefined : `/methods/${methodId}/remove`;
}

function loginFor(login: Login, tie: string): AccountLogin {
  const { id, userAgent, ipAddress, signedInAt, lastSeenAt, browserSessionDigest, signedInWith, actor } = login;
  return {
    id,
    browser: browserOf(userAgent ?? ""),
    device: deviceOf(userAgent ?? ""),
    ipAddress,
    signedInAt,
    lastSeenAt,
    isHere: browserSessionDigest === tie,
    byOperator: signedInWith === "operator",
    actor,
  };
}
