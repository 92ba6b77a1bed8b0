import { json, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { isAnswer, type Guest, type PostedForm } from "../../hosted/hosted.ts";
import { canonicalEmail } from "../../lib/email.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { displayName } from "../../lib/text.ts";
import { createAccountProblemWords } from "../../pages/parts/problems.ts";
import type { NewPasswords } from "../../passwords/new-passwords.ts";
import type { Additions } from "../adding/adding.ts";
import type { ChoosePages } from "../choose-pages.ts";
import type { Visits } from "../visits.ts";

export type PasswordCheck = ReturnType<typeof createPasswordCheck>;

/**
 * Tells the page's script, while a person types, what the form would say to a new password: the
 * same rule and words. Writes nothing, and looks nobody up by what was typed.
 */
export function createPasswordCheck(deps: {
  visits: Visits;
  choose: ChoosePages;
  additions: Pick<Additions, "findAddingUser">;
  newPasswords: NewPasswords;
}) {
  const { visits, choose, additions, newPasswords } = deps;

  async function check(
    { frame, application, form, network }: Guest & PostedForm,
    person: { email: string | null; name: string | null },
  ): Promise<Answer> {
    const about = { email: person.email ?? "", name: person.name };
    const problem = await newPasswords.problemWith(form.get("password") ?? "", application, about, network);
    const { passwordMinLength } = application.settings;
    return json({ problem: (problem && createAccountProblemWords(frame, problem, passwordMinLength).beside) ?? null });
  }

  return {
    check,

    /** POST /sign-in/{sessionId}/password-check */
    async inSession(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) throw unusable();
      const owner = await additions.findAddingUser(visits.forProof(posted), "password");
      if (!owner && !choose.allows(posted, "password")) throw unusable();
      const typed = {
        email: canonicalEmail(posted.form.get("email") ?? "") ?? null,
        name: displayName(posted.form.get("name") ?? "") ?? null,
      };
      return await check(posted, owner ?? typed);
    },
  };
}

/** The one answer to everything that is wrong, as for the options of a passkey. */
export function unusable(): Error {
  return invalidRequest("session: cannot be used by this browser now");
}
