import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { canonicalEmail, mostEmailCharacters } from "../lib/email.ts";
import { AppError } from "../lib/errors.ts";
import { displayName, mostNameCharacters } from "../lib/text.ts";
import type { Passwords } from "../passwords/service.ts";
import type { CreateAccountProblem, SignInProblem } from "../pages/problems.ts";
import type { Users } from "../users/service.ts";
import type { ChoosePages } from "./choose-pages.ts";
import { isAnswer, type Hosted, type Posted } from "./hosted.ts";
import type { SignIn } from "./service.ts";

export type PasswordPages = ReturnType<typeof createPasswordPages>;

export function createPasswordPages(deps: {
  hosted: Hosted;
  choose: ChoosePages;
  signIn: SignIn;
  passwords: Passwords;
  users: Users;
}) {
  const { hosted, choose, signIn, passwords, users } = deps;

  async function signInWith(posted: Posted): Promise<Answer> {
    const typed = posted.form.get("email") ?? "";
    const password = posted.form.get("password") ?? "";
    const again = (problem: SignInProblem, status: number): Promise<Answer> =>
      choose.showSignIn(posted, { email: clipped(typed), problem, status });
    const email = canonicalEmail(typed);
    if (typed.trim() === "") return await again({ kind: "email-missing" }, 422);
    if (email === undefined) return await again({ kind: "email-invalid" }, 422);
    if (password === "") return await again({ kind: "password-missing" }, 422);
    const proven = await passwords.prove(posted.application, email, password, posted.network);
    if (!proven) {
      await signIn.noteFailure(posted.application, "password", posted.origin);
      return await again({ kind: "wrong-credentials" }, 401);
    }
    const outcome = await signIn.complete(
      { ...posted, browserDigest: posted.browser.digest },
      { signedInWith: "password" },
      posted.origin,
      async (tx, now) => {
        return (await passwords.noteUse(tx, proven, now)) ? proven.user.id : undefined;
      },
    );
    return outcome === "refused"
      ? await again({ kind: "wrong-credentials" }, 401)
      : await choose.finish(posted, outcome);
  }

  async function createAccountWith(posted: Posted): Promise<Answer> {
    const typed = { email: posted.form.get("email") ?? "", name: posted.form.get("name") ?? "" };
    const password = posted.form.get("password") ?? "";
    const again = (problem: CreateAccountProblem, status: number): Promise<Answer> =>
      choose.showCreateAccount(posted, {
        email: clipped(typed.email),
        name: typed.name.slice(0, mostNameCharacters),
        problem,
        status,
      });
    const person = newPerson(typed);
    if ("kind" in person) return await again(person, 422);
    if (password === "") return await again({ kind: "password-missing" }, 422);
    const problem = await passwords.problemWith(password, posted.application, person.email);
    if (problem) return await again(problem, 422);
    // Hashed before anybody looks whether the address is known: both take the same time.
    const hash = await passwords.hash(password, posted.network);
    const { application, origin, browser } = posted;
    const outcome = await signIn.complete(
      { ...posted, browserDigest: browser.digest },
      { signedInWith: "password" },
      origin,
      async (tx, now) => {
        const user = await users.create(tx, { appId: application.id, ...person }, now);
        if (user) await passwords.add(tx, user.id, hash, now);
        return user?.id;
      },
    );
    return outcome === "refused" ? await again({ kind: "cannot-create" }, 422) : await choose.finish(posted, outcome);
  }

  /** What the limits refuse is said on the page that the person is on, with what was typed. */
  async function orTryLater(
    work: Promise<Answer>,
    again: (problem: SignInProblem & CreateAccountProblem) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "BUSY") return await again({ kind: "busy" });
      if (error.code === "RATE_LIMITED")
        return await again({ kind: "too-many-tries", retryAfterSeconds: error.retryAfterSeconds ?? 60 });
      throw error;
    }
  }

  return {
    async signIn(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.submit(request);
      if (isAnswer(posted)) return posted;
      if (!choose.allows(posted, "password")) return choose.methodDisabled(posted, "password");
      const email = clipped(posted.form.get("email") ?? "");
      return await orTryLater(signInWith(posted), (problem) =>
        choose.showSignIn(posted, { email, problem, status: 429 }),
      );
    },

    async createAccount(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.submit(request);
      if (isAnswer(posted)) return posted;
      if (!choose.allows(posted, "password")) return choose.methodDisabled(posted, "password");
      if (posted.application.settings.signUp === "closed") return await choose.showCreateAccount(posted);
      const email = clipped(posted.form.get("email") ?? "");
      return await orTryLater(createAccountWith(posted), (problem) =>
        choose.showCreateAccount(posted, { email, problem, status: 429 }),
      );
    },
  };
}

/** Who an account is for, or what to mend. Shared by both ways to create one. */
export function newPerson(typed: {
  email: string;
  name: string;
}): { email: string; name: string | null } | CreateAccountProblem {
  if (typed.email.trim() === "") return { kind: "email-missing" };
  const email = canonicalEmail(typed.email);
  if (email === undefined) return { kind: "email-invalid" };
  const name = displayName(typed.name);
  return name === undefined ? { kind: "name-too-long", maxLength: mostNameCharacters } : { email, name };
}

function clipped(email: string): string {
  return email.slice(0, mostEmailCharacters);
}
