import { json, seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { isAnswer, orTryLater, withRetryAfter } from "../hosted/hosted.ts";
import { invalidRequest } from "../lib/errors.ts";
import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { ProviderAccounts } from "../oauth/accounts.ts";
import { addMethodPage, type AddMethodData } from "../pages/add-method-page.ts";
import type { CreateAccountProblem } from "../pages/problems.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { Passwords } from "../passwords/service.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import { pathOf } from "./choose-pages.ts";
import type { Adding } from "./adding.ts";
import type { Proofs } from "./proofs.ts";
import type { SignIn } from "./service.ts";
import { placeOf, type Held, type Posted, type Visit, type Visits } from "./visits.ts";

export type AddPages = ReturnType<typeof createAddPages>;

type OauthProblem = Extract<AddMethodData, { adds: "oauth" }>["problem"];

/** One more way to sign in to an account: only with a fresh proof in this browser, and only when its owner has agreed on this page. */
export function createAddPages(deps: {
  visits: Visits;
  signIn: SignIn;
  proofs: Proofs;
  passkeys: Passkeys;
  passwords: Passwords;
  accounts: ProviderAccounts;
  browserSessions: BrowserSessions;
  users: Users;
}) {
  const { visits, signIn, proofs, passkeys, passwords, accounts, browserSessions, users } = deps;

  async function show(visit: Visit, problem?: CreateAccountProblem | OauthProblem): Promise<Answer> {
    const { session, application, browser } = visit;
    const user = session.accountUserId === null ? undefined : await users.find(session.accountUserId);
    if (!user) return await visits.over(visit);
    const isFull = session.adds === "passkey" && !(await passkeys.hasRoom(user.id));
    if (isFull && problem === undefined) return await show(visit, { kind: "passkeys-full" });
    const common = {
      sessionPath: pathOf(visit),
      token: browser.formToken,
      account: user.email ?? user.name ?? user.id,
    };
    const status =
      problem === undefined ? 200 : problem.kind === "too-many-tries" || problem.kind === "busy" ? 429 : 422;
    if (session.adds === "oauth") {
      const name = session.addsProvider ?? "";
      const offered = (await accounts.offered(application.id)).find((provider) => provider.name === name);
      const provider = { name, displayName: accounts.displayName(name) };
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

  /** The session's user, when this browser may add this kind of method to its account now. */
  async function allowed(visit: Visit, adds: AddMethodData["adds"]): Promise<User | undefined> {
    const { session, application } = visit;
    if (session.adds !== adds || !application.authMethods[adds].enabled || session.accountUserId === null)
      return undefined;
    if (!(await proofs.findFreshProof(visits.hold(visit)))) return undefined;
    const user = await users.find(session.accountUserId);
    return user?.disabledAt === null ? user : undefined;
  }

  async function submitted(
    request: HttpRequest,
    adds: AddMethodData["adds"],
    work: (held: Held & Posted, user: User) => Promise<Answer>,
  ): Promise<Answer> {
    const posted = await visits.submit(request);
    if (isAnswer(posted)) return posted;
    const user = await allowed(posted, adds);
    // Without a fresh proof the session's own page asks for one.
    return user ? await work({ ...posted, ...visits.hold(posted) }, user) : seeOther(pathOf(posted));
  }

  async function end<R extends string>(
    held: Held,
    outcome: Adding<R>,
    again: (refusal: R) => Promise<Answer>,
  ): Promise<Answer> {
    if (outcome === "over") return await visits.over(held);
    if (outcome === "not-fresh") return seeOther(pathOf(held));
    return "refusal" in outcome ? await again(outcome.refusal) : seeOther(outcome.redirectTo);
  }

  async function savePassword(held: Held & Posted, user: User): Promise<Answer> {
    const password = held.form.get("password") ?? "";
    if (password === "") return await show(held, { kind: "password-missing" });
    const problem = await passwords.problemWith(password, held.application, user.email ?? "");
    if (problem) return await show(held, problem);
    const changes = await passwords.hasOne(user.id);
    const hash = await passwords.hash(password, held.network);
    const outcome = await proofs.add(held, { type: "password", provider: null, changes }, async (tx, userId, now) => {
      // In the order in which a sign-in takes these two.
      if (user.email !== null) await passwords.forgetFailures(tx, user.appId, user.email);
      const methodId = await passwords.set(tx, userId, hash, now);
      // Whoever proved the old one a moment ago must not get in by it.
      await signIn.cancelCodes(tx, userId, now);
      await browserSessions.outdateProofs(tx, userId, held.currentBrowserSession);
      return { methodId, name: null };
    });
    return await end(held, outcome, () => show(held));
  }

  return {
    show,
    allowed,
    end,

    async passkeyOptions(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      const user = isAnswer(posted) ? undefined : await allowed(posted, "passkey");
      if (isAnswer(posted) || !user || !passkeys.available)
        throw invalidRequest("session: cannot be used by this browser now");
      // Before there is a passkey in somebody's hands that opens nothing.
      if (!(await passkeys.hasRoom(user.id))) throw invalidRequest("passkeys: the account has as many as it can");
      return json({ options: await passkeys.addOptions(posted.application, placeOf(posted), user) });
    },

    async passkey(request: HttpRequest): Promise<Answer> {
      return await submitted(request, "passkey", async (held, user) => {
        const made = await passkeys.proveAdded(
          held.application,
          placeOf(held),
          user,
          held.form.get("credential") ?? "",
        );
        if (!made) return await show(held, { kind: "passkey-failed" });
        const outcome = await proofs.add(held, { type: "passkey", provider: null }, async (tx, userId, now) => {
          if (!(await passkeys.hasRoom(userId, tx))) return { refusal: "passkeys-full" as const };
          const added = await passkeys.add(tx, userId, made, held.origin.userAgent, now);
          return added ?? { refusal: "passkey-exists" as const };
        });
        return await end(held, outcome, (kind) => show(held, { kind }));
      });
    },

    async password(request: HttpRequest): Promise<Answer> {
      return await submitted(request, "password", (held, user) =>
        orTryLater(savePassword(held, user), (problem) => show(held, problem)),
      );
    },
  };
}
