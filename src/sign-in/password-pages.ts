import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { canonicalEmail, mostEmailCharacters } from "../lib/email.ts";
import { displayName, mostNameCharacters } from "../lib/text.ts";
import type { Passwords } from "../passwords/service.ts";
import type { CreateAccountProblem, SignInProblem } from "../pages/problems.ts";
import { isAnswer, orTryLater } from "../hosted/hosted.ts";
import type { Users } from "../users/service.ts";
import type { ChoosePages } from "./choose-pages.ts";
import type { ConfirmPages } from "./confirm-pages.ts";
import type { Proofs } from "./proofs.ts";
import type { SignIn } from "./service.ts";
import type { StepPages } from "./step-pages.ts";
import type { Posted, Visits } from "./visits.ts";

export function createPasswordPages(deps: {
  visits: Visits;
  choose: ChoosePages;
  steps: StepPages;
  signIn: SignIn;
  proofs: Proofs;
  passwords: Passwords;
  confirm: ConfirmPages;
  users: Users;
}) {
  const { visits, choose, steps, signIn, proofs, passwords, confirm, users } = deps;

  async function signInWith(posted: Posted): Promise<Answer> {
    const typed = posted.form.get("email") ?? "";
    const password = posted.form.get("password") ?? "";
    const again = (problem: SignInProblem, status: number): Promise<Answer> =>
      choose.showSignIn(posted, { email: clipped(typed), problem, status });
    const email = canonicalEmail(typed);
    // Nothing is written for a password that finds the queue full, or whose network has tried too many. And the claim comes before the hash: it can
    // be seen from another browser, and must not tell when the hash was there.
    if (email !== undefined && password !== "") passwords.admitTry(posted.network);
    const refused = await visits.claim(posted);
    if (refused) return refused;
    if (typed.trim() === "") return await again({ kind: "email-missing" }, 422);
    if (email === undefined) return await again({ kind: "email-invalid" }, 422);
    if (password === "") return await again({ kind: "password-missing" }, 422);
    const proof = await passwords.prove(posted.application, { email, password, network: posted.network });
    const held = visits.hold(posted);
    // The page's script says whether this browser can make passkeys.
    const mayOffer = choose.allows(posted, "passkey") && posted.form.get("passkeys") === "1";
    const outcome = await proofs.take(held, { signedInWith: "password", mayOffer }, proof.count);
    if (typeof outcome === "object") await proof.renew();
    else await proof.refuse();
    if (outcome === "refused") {
      const known = await users.findByEmail(posted.application.id, email);
      await signIn.noteFailure(posted.application, "password", posted.origin, known?.id);
      return await again({ kind: "wrong-credentials" }, 401);
    }
    return await steps.end(held, outcome, (problem) => again(problem, 401));
  }

  async function createAccountWith(posted: Posted): Promise<Answer> {
    // Nothing is written for a form whose password cannot be hashed.
    passwords.admit();
    const refused = await visits.claim(posted);
    if (refused) return refused;
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
    if (confirm.isOn) return await confirm.begin(posted, person.email, { name: person.name, passwordHash: hash });
    const held = visits.hold(posted);
    const signedUp = { method: "password", origin: posted.origin } as const;
    const outcome = await proofs.take(held, { signedInWith: "password" }, async (tx, now) => {
      const user = await users.create(tx, { appId: posted.application.id, ...person, signedUp }, now);
      if (user) await passwords.add(tx, user.id, hash, now);
      return user?.id;
    });
    return await steps.end(held, outcome, () => again({ kind: "cannot-create" }, 422));
  }

  return {
    async signIn(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      if (!choose.allows(posted, "password")) return choose.methodDisabled(posted, "password");
      const email = clipped(posted.form.get("email") ?? "");
      return await orTryLater(signInWith(posted), (problem) =>
        choose.showSignIn(posted, { email, problem, status: 429 }),
      );
    },

    async createAccount(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      if (!choose.allows(posted, "password")) return choose.methodDisabled(posted, "password");
      if (!choose.signUpIsOpen(posted)) return await choose.showCreateAccount(posted);
      const email = clipped(posted.form.get("email") ?? "");
      const name = (posted.form.get("name") ?? "").slice(0, mostNameCharacters);
      return await orTryLater(createAccountWith(posted), (problem) =>
        choose.showCreateAccount(posted, { email, name, problem, status: 429 }),
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
