import { json, seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { isAnswer, orTryLater, withRetryAfter } from "../../hosted/hosted.ts";
import { invalidRequest } from "../../lib/errors.ts";
import type { ProviderClients } from "../../oauth/provider-clients.ts";
import { addMethodPage, type AddMethodData } from "../../pages/sign-in/add-method-page.ts";
import type { CreateAccountProblem } from "../../pages/parts/problems.ts";
import type { Passkeys } from "../../passkeys/service.ts";
import type { Passwords } from "../../passwords/service.ts";
import type { Users } from "../../users/service.ts";
import type { AccountNames } from "../account-names.ts";
import type { AddMethod } from "./add-method.ts";
import { pathOf } from "../choose-pages.ts";
import type { Adding, Additions } from "./adding.ts";
import { passkeyPlaceOf } from "../holder.ts";
import type { ProofVisit, Visit, Visits } from "../visits.ts";

export type AddPages = ReturnType<typeof createAddPages>;

type OauthProblem = Extract<AddMethodData, { adds: "oauth" }>["problem"];

/**
 * Adds a sign-in method to an account: only with a fresh proof in this browser, and only after its
 * owner agreed on this page.
 */
export function createAddPages(deps: {
  visits: Visits;
  additions: Pick<Additions, "findAddingUser">;
  passkeys: Passkeys;
  passwords: Pick<Passwords, "hasOne">;
  providerClients: ProviderClients;
  accountNames: AccountNames;
  users: Users;
  addMethod: AddMethod;
}) {
  const { visits, additions, passkeys, passwords, providerClients, accountNames, users, addMethod } = deps;

  async function show(visit: Visit, problem?: CreateAccountProblem | OauthProblem): Promise<Answer> {
    const { session, application, browser } = visit;
    const user = session.accountUserId === null ? undefined : await users.find(session.accountUserId);
    if (!user) return await visits.over(visit);
    const isFull = session.adds === "passkey" && !(await passkeys.hasRoom(user.id));
    if (isFull && problem === undefined) return await show(visit, { kind: "passkeys-full" });
    const common = {
      sessionPath: pathOf(visit),
      token: browser.formToken,
      account: await accountNames.nameOf(visit, user),
    };
    const status =
      problem === undefined ? 200 : problem.kind === "too-many-tries" || problem.kind === "busy" ? 429 : 422;
    if (session.adds === "oauth") {
      const name = session.addsProvider ?? "";
      const offered = (await providerClients.offered(application.id)).find((provider) => provider.name === name);
      const provider = { name, displayName: providerClients.displayName(name) };
      const data = { ...common, adds: "oauth", provider, problem: problem as OauthProblem } as const;
      return visits.page(visit, addMethodPage(visit.frame, data), status, offered?.formTargets ?? []);
    }
    const data =
      session.adds === "passkey"
        ? ({ ...common, adds: "passkey", problem: problem as CreateAccountProblem | undefined } as const)
        : ({
            ...common,
            adds: "password",
            hasOne: await passwords.hasOne(user.id),
            passwordMinLength: application.settings.passwordMinLength,
            problem: problem as CreateAccountProblem | undefined,
          } as const);
    return withRetryAfter(visits.page(visit, addMethodPage(visit.frame, data), status), problem);
  }

  async function end<R>(
    proofVisit: ProofVisit,
    outcome: Adding<R>,
    again: (refusal: R) => Promise<Answer>,
  ): Promise<Answer> {
    if (outcome === "over") return await visits.over(proofVisit);
    // Without a fresh proof, the session's own page asks for one.
    if (outcome === "not-fresh") return seeOther(pathOf(proofVisit));
    return "refusal" in outcome ? await again(outcome.refusal) : visits.respond(proofVisit, outcome.response);
  }

  return {
    show,
    end,

    async passkeyOptions(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      const user = isAnswer(posted) ? undefined : await additions.findAddingUser(visits.forProof(posted), "passkey");
      if (isAnswer(posted) || !user || !passkeys.available)
        throw invalidRequest("session: cannot be used by this browser now");
      // Checked before the authenticator creates a passkey that would be useless.
      if (!(await passkeys.hasRoom(user.id))) throw invalidRequest("passkeys: the user already has the maximum number");
      return json({
        options: await passkeys.addOptions(
          posted.application,
          passkeyPlaceOf(posted.session, posted.browser.digest),
          user,
          "add",
        ),
      });
    },

    async passkey(request: HttpRequest): Promise<Answer> {
      const posted = await visits.submit(request);
      if (isAnswer(posted)) return posted;
      const proofVisit = visits.forProof(posted);
      const outcome = await addMethod.passkey(proofVisit, posted.form.get("credential") ?? "");
      return await end(proofVisit, outcome, (problem) => show(proofVisit, problem));
    },

    async password(request: HttpRequest): Promise<Answer> {
      const posted = await visits.submit(request);
      if (isAnswer(posted)) return posted;
      const proofVisit = visits.forProof(posted);
      const typed = { password: posted.form.get("password") ?? "", network: posted.network };
      const added = addMethod
        .password(proofVisit, typed)
        .then((outcome) => end(proofVisit, outcome, (problem) => show(proofVisit, problem)));
      return await orTryLater(added, (problem) => show(proofVisit, problem));
    },
  };
}
