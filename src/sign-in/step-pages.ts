import { json, seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { invalidRequest } from "../lib/errors.ts";
import { passkeyStepPage, type PasskeyStepData } from "../pages/passkey-step-page.ts";
import type { SignInProblem } from "../pages/problems.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { AddPages } from "./add-pages.ts";
import { pathOf, type ChoosePages } from "./choose-pages.ts";
import type { Outcome, Proofs } from "./proofs.ts";
import type { SignIn } from "./service.ts";
import type { Step } from "./steps.ts";
import { placeOf, type Held, type Posted, type Visit, type Visits } from "./visits.ts";

export type StepPages = ReturnType<typeof createStepPages>;

type Problem = PasskeyStepData["problem"];

/** What comes after a proof: a passkey that the app wants or that is only offered, one more method, or the way back to the app. */
export function createStepPages(deps: {
  visits: Visits;
  choose: ChoosePages;
  add: AddPages;
  signIn: SignIn;
  proofs: Proofs;
  passkeys: Passkeys;
  users: Users;
}) {
  const { visits, choose, add, signIn, proofs, passkeys, users } = deps;

  async function show(visit: Visit, next: Exclude<Step, "done">, problem?: Problem): Promise<Answer> {
    if (next === "add-method") return await add.show(visit);
    const step = ({ "use-passkey": "use", "create-passkey": "create", "offer-passkey": "offer" } as const)[next];
    const data = { step, sessionPath: pathOf(visit), token: visit.browser.formToken, problem };
    return visits.page(visit, passkeyStepPage(visit.frame, data), problem ? 422 : 200);
  }

  /** The end of every proof: on to the app, to the next step, or what to say instead. `again` shows what was wrong with the proof. */
  async function end(
    held: Held,
    outcome: Outcome,
    again: (problem: SignInProblem) => Promise<Answer>,
  ): Promise<Answer> {
    if (outcome === "over") return await visits.over(held);
    if (outcome === "other-account") return await again({ kind: "other-account" });
    if (outcome === "refused") return await again({ kind: "wrong-credentials" });
    // The cookies stay: with the session's own, the browser is told "You're signed in" when it comes back here.
    if ("redirectTo" in outcome) return { ...seeOther(outcome.redirectTo), cookies: held.cookies };
    // A page of its own, so that reloading it repeats no password.
    return seeOther(pathOf(held));
  }

  /** The proof that a session keeps, and the step that it waits for; undefined for any other session. */
  async function waiting(visit: Visit): Promise<{ user: User; next: Step } | undefined> {
    const next = await proofs.nextStep(visit);
    const user = visit.session.provenUserId === null ? undefined : await users.find(visit.session.provenUserId);
    return next !== undefined && user?.disabledAt === null ? { user, next } : undefined;
  }

  /** A script cannot show a page: whatever is wrong is one error. */
  async function scriptPost(
    request: HttpRequest,
    fits: (next: Step) => boolean,
  ): Promise<{ posted: Posted; user: User }> {
    const posted = await visits.post(request);
    const found = isAnswer(posted) ? undefined : await waiting(posted);
    if (isAnswer(posted) || !found || !fits(found.next) || !passkeys.available)
      throw invalidRequest("session: cannot be used by this browser now");
    return { posted, user: found.user };
  }

  async function submitted(
    request: HttpRequest,
    fits: (next: Step) => boolean,
    work: (held: Held & Posted, user: User, next: Step) => Promise<Answer>,
  ): Promise<Answer> {
    const posted = await visits.submit(request);
    if (isAnswer(posted)) return posted;
    const found = await waiting(posted);
    // An old page: the session's own page knows what it wants by now.
    if (!found || !fits(found.next)) return seeOther(pathOf(posted));
    return await work({ ...posted, ...visits.hold(posted) }, found.user, found.next);
  }

  const creates = (next: Step) => next === "create-passkey" || next === "offer-passkey";

  return {
    show,
    end,

    /** The first page of a session: what it waits for, the provider that it asked for, or the choice. */
    page:
      (startProvider: (visit: Visit, provider: string) => Promise<Answer>) =>
      async (request: HttpRequest): Promise<Answer> => {
        const visit = await visits.visit(request);
        if (isAnswer(visit)) return visit;
        const found = await waiting(visit);
        if (found && found.next !== "done") return await show(visit, found.next);
        if (visit.session.purpose === "add-method" && (await proofs.findFreshProof(visits.hold(visit))))
          return await add.show(visit);
        const { provider } = visit.session;
        // Link previews and prefetches look; only a person's visit starts the provider.
        const looksOnly = request.method === "HEAD" || /prefetch|preview/u.test(request.header("sec-purpose") ?? "");
        return provider === null || looksOnly ? await choose.showSignIn(visit) : await startProvider(visit, provider);
      },

    async usePasskeyOptions(request: HttpRequest): Promise<Answer> {
      const { posted, user } = await scriptPost(request, (next) => next === "use-passkey");
      return json({ options: await passkeys.stepOptions(posted.application, placeOf(posted), user.id) });
    },

    async usePasskey(request: HttpRequest): Promise<Answer> {
      return await submitted(
        request,
        (next) => next === "use-passkey",
        async (held, user, next) => {
          const again = (kind: "passkey-failed" | "passkey-unknown"): Promise<Answer> =>
            show(held, next as "use-passkey", { kind });
          const proven = await passkeys.prove(held.application, placeOf(held), held.form.get("credential") ?? "");
          if (proven === undefined || proven === "unknown" || proven.user.id !== user.id) {
            await signIn.noteFailure(held.application, "passkey", held.origin, user.id);
            return await again(proven === "unknown" ? "passkey-unknown" : "passkey-failed");
          }
          const outcome = await proofs.take(held, { signedInWith: "passkey", proofOf: user.id }, async (tx, now) => {
            const noted = await passkeys.noteUse(tx, proven, now);
            if (noted === "removed") return undefined;
            if (noted === "copied")
              await signIn.noteCopiedPasskey(tx, held.application, user.id, proven.passkey.id, held.origin, now);
            return user.id;
          });
          return await end(held, outcome, () => again("passkey-failed"));
        },
      );
    },

    async newPasskeyOptions(request: HttpRequest): Promise<Answer> {
      const { posted, user } = await scriptPost(request, creates);
      return json({ options: await passkeys.addOptions(posted.application, placeOf(posted), user) });
    },

    async newPasskey(request: HttpRequest): Promise<Answer> {
      return await submitted(request, creates, async (held, user, next) => {
        let exists = false;
        const again = (): Promise<Answer> =>
          show(held, next as "create-passkey", { kind: exists ? "passkey-exists" : "passkey-failed" });
        const made = await passkeys.proveAdded(
          held.application,
          placeOf(held),
          user,
          held.form.get("credential") ?? "",
        );
        if (!made) return await again();
        const outcome = await proofs.take(held, { signedInWith: "passkey", proofOf: user.id }, async (tx, now) => {
          // Locked first, as in `proofs.add`.
          if (!(await users.take(tx, user.id, now))) return undefined;
          const added = await passkeys.add(tx, user.id, made, held.origin.userAgent, now);
          exists = !added;
          if (added) await proofs.noteAdded(tx, user, { type: "passkey", provider: null, ...added }, held.origin, now);
          return added && user.id;
        });
        return await end(held, outcome, again);
      });
    },

    /** "Not now": only where a passkey was no more than offered. */
    async skip(request: HttpRequest): Promise<Answer> {
      return await submitted(
        request,
        (next) => next === "offer-passkey",
        async (held, user) => {
          const { provenWith, provenProvider } = held.session;
          if (provenWith === null) return seeOther(pathOf(held));
          const how = { signedInWith: provenWith, provider: provenProvider, proofOf: user.id };
          const outcome = await proofs.take(held, how, async (tx, now) => {
            await users.declinePasskey(tx, user.id, now);
            return user.id;
          });
          return await end(held, outcome, () => choose.showSignIn(held));
        },
      );
    },
  };
}
