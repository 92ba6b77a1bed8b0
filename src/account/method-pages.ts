import type { Application, SignInMethod } from "../applications/application.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { AppError } from "../lib/errors.ts";
import type { Methods } from "../methods/service.ts";
import type { ProviderAccounts } from "../oauth/accounts.ts";
import { removeMethodPage, type RemoveMethodData } from "../pages/account-confirm-pages.ts";
import { renameFormPage, type RenameFormData } from "../pages/account-form-pages.ts";
import type { AccountMethod } from "../pages/account-methods.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { OverviewPages } from "./overview-pages.ts";
import { byUser, type AccountVisit, type AccountVisits } from "./visits.ts";

/** What somebody does about their ways to sign in. */
export function createMethodPages(deps: {
  visits: AccountVisits;
  overview: OverviewPages;
  methods: Methods;
  accounts: ProviderAccounts;
  signIn: SignIn;
}) {
  const { visits, overview, methods, accounts, signIn } = deps;

  async function methodIn({ request, user }: AccountVisit): Promise<AccountMethod | undefined> {
    const id = request.parameter("methodId");
    return (await overview.methodsOf(user)).find((method) => method.id === id);
  }

  async function showRename(visit: AccountVisit, typed?: string, problem?: RenameFormData["problem"]): Promise<Answer> {
    const { application, browser, frame } = visit;
    const method = await methodIn(visit);
    if (method?.type !== "passkey") return visits.notFound(visit);
    const data = { appId: application.id, token: browser.formToken, methodId: method.id, name: typed ?? method.name };
    return visits.page(visit, renameFormPage(frame, { ...data, problem }), { status: problem ? 422 : 200 });
  }

  async function showRemove(visit: AccountVisit, problem?: RemoveMethodData["problem"]): Promise<Answer> {
    const { application, browser, frame } = visit;
    const method = await methodIn(visit);
    if (!method) return visits.notFound(visit);
    const data = { appId: application.id, token: browser.formToken, method, problem };
    return visits.page(visit, removeMethodPage(frame, data), { status: problem ? 422 : 200 });
  }

  /** A page may be old, or written by hand. */
  async function allows({ id, authMethods }: Application, { adds, addsProvider }: Adding): Promise<boolean> {
    if (!authMethods[adds].enabled || addsProvider === null) return authMethods[adds].enabled;
    return authMethods.oauth.providers.includes(addsProvider) && (await accounts.isConfigured(id, addsProvider));
  }

  /** After a proof, the page that asked for it goes on. */
  function nextAfterProof(request: HttpRequest): string {
    return `remove-${request.parameter("methodId")}`;
  }

  return {
    /** POST /account/add: to the session that adds a method, asks for a proof itself where it needs one, and comes back. */
    async add(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      const { application, user, form } = posted;
      const adding = addingFrom(form);
      if (!adding || !(await allows(application, adding))) return visits.notFound(posted);
      const { authUrl } = await signIn.initiateFromAccount(application, {
        userId: user.id,
        locale: user.locale,
        ...adding,
      });
      return seeOther(authUrl);
    },

    /** GET /account/methods/:methodId/rename */
    async renameForm(request: HttpRequest): Promise<Answer> {
      const visit = await visits.visit(request);
      return isAnswer(visit) ? visit : await showRename(visit);
    },

    /** POST /account/methods/:methodId/rename */
    async rename(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      const name = posted.form.get("name") ?? "";
      try {
        await methods.rename(posted.user.id, request.parameter("methodId"), name, byUser(posted));
      } catch (error) {
        const code = error instanceof AppError ? error.code : undefined;
        if (code === "METHOD_NOT_FOUND") return visits.notFound(posted);
        if (code !== "INVALID_REQUEST") throw error;
        return await showRename(
          posted,
          name,
          name.trim() === ""
            ? { kind: "name-missing" }
            : { kind: "name-too-long", maxLength: methods.mostLabelCharacters },
        );
      }
      return visits.done(posted, "renamed");
    },

    /** GET /account/methods/:methodId/remove */
    async removeForm(request: HttpRequest): Promise<Answer> {
      const visit = await visits.visitProven(request, nextAfterProof(request));
      return isAnswer(visit) ? visit : await showRemove(visit);
    },

    /** POST /account/methods/:methodId/remove */
    async remove(request: HttpRequest): Promise<Answer> {
      const posted = await visits.postProven(request, nextAfterProof(request));
      if (isAnswer(posted)) return posted;
      try {
        await methods.remove(posted.user.id, request.parameter("methodId"), byUser(posted), posted.session.digest);
      } catch (error) {
        const code = error instanceof AppError ? error.code : undefined;
        if (code === "METHOD_NOT_FOUND") return visits.notFound(posted);
        // The one thing that the service refuses: somebody would lock themselves out.
        if (code !== "INVALID_REQUEST") throw error;
        const isPasskey = (await methodIn(posted))?.type === "passkey";
        const needsPasskey = posted.application.authMethods.passkey.required;
        return await showRemove(posted, { kind: isPasskey && needsPasskey ? "last-passkey" : "last-method" });
      }
      return visits.done(posted, "removed");
    },
  };
}

type Adding = { adds: SignInMethod; addsProvider: string | null };

function addingFrom(form: Map<string, string>): Adding | undefined {
  const adds = form.get("adds");
  if (adds === "passkey" || adds === "password") return { adds, addsProvider: null };
  const addsProvider = form.get("provider");
  return adds === "oauth" && addsProvider !== undefined ? { adds, addsProvider } : undefined;
}
