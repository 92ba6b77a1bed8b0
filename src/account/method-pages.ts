import type { Application } from "../applications/application.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { AppError } from "../lib/errors.ts";
import type { Methods } from "../methods/service.ts";
import type { ProviderClients } from "../oauth/provider-clients.ts";
import { removeMethodPage, type RemoveMethodData } from "../pages/account/confirm-pages.ts";
import { renameFormPage, type RenameFormData } from "../pages/account/form-pages.ts";
import type { AccountMethod } from "../pages/account/methods.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { SignInMethod } from "../storage/column-types.ts";
import type { OverviewPages } from "./overview-pages.ts";
import { byUser, type AccountVisit, type AccountVisits } from "./visits.ts";

/** Managing sign-in methods. */
export function createMethodPages(deps: {
  visits: AccountVisits;
  overview: OverviewPages;
  methods: Methods;
  providerClients: ProviderClients;
  signIn: SignIn;
}) {
  const { visits, overview, methods, providerClients, signIn } = deps;

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

  async function showRemove(visit: AccountVisit): Promise<Answer> {
    const { application, browser, frame } = visit;
    const method = await methodIn(visit);
    if (!method) return visits.notFound(visit);
    const problem = method.isRemovable ? undefined : whyNot(method, application);
    const data = { appId: application.id, token: browser.formToken, method, problem };
    return visits.page(visit, removeMethodPage(frame, data), { status: problem ? 422 : 200 });
  }

  /** Checked again on posting: the page may be old or the form forged. */
  async function allows({ id, authMethods }: Application, { adds, addsProvider }: Adding): Promise<boolean> {
    if (!authMethods[adds].enabled || addsProvider === null) return authMethods[adds].enabled;
    return authMethods.oauth.providers.includes(addsProvider) && (await providerClients.isConfigured(id, addsProvider));
  }

  /** The page to continue with after a proof. */
  function nextAfterProof(request: HttpRequest): string {
    return `remove-${request.parameter("methodId")}`;
  }

  return {
    /**
     * POST /account/add: starts a session that adds a method, asks for a proof if necessary, and
     * returns here.
     */
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
            : { kind: "name-too-long", maxLength: methods.maxLabelCharacters },
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
        const keep = { browserSession: posted.session.digest };
        await methods.remove(posted.user.id, request.parameter("methodId"), byUser(posted), { keep });
      } catch (error) {
        const code = error instanceof AppError ? error.code : undefined;
        if (code === "METHOD_NOT_FOUND") return visits.notFound(posted);
        // Only refused if the user could not sign in any more.
        if (code !== "INVALID_REQUEST") throw error;
        return await showRemove(posted);
      }
      return visits.done(posted, "removed");
    },
  };
}

function whyNot({ type }: AccountMethod, { authMethods }: Application): RemoveMethodData["problem"] {
  return { kind: type === "passkey" && authMethods.passkey.required ? "last-passkey" : "last-method" };
}

type Adding = { adds: SignInMethod; addsProvider: string | null };

function addingFrom(form: Map<string, string>): Adding | undefined {
  const adds = form.get("adds");
  if (adds === "passkey" || adds === "password") return { adds, addsProvider: null };
  const addsProvider = form.get("provider");
  return adds === "oauth" && addsProvider !== undefined ? { adds, addsProvider } : undefined;
}
