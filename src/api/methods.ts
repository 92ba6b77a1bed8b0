import * as methods from "../credentials/methods/service.ts";
import { requireSecondFactor, type Bearer } from "../tokens/authentication.ts";
import { authMethods, done, userWasDeleted } from "./answers.ts";
import { operation } from "./operation.ts";
import { byUser } from "./profile.ts";

export const listAuthMethods = operation({
  id: "listAuthMethods",
  tag: "Sign-in methods",
  summary: "List the user's sign-in methods",
  description: "Passkeys, accounts at providers, and the password.",
  answer: { schema: authMethods, about: "Oldest first." },
  handle: async (ctx, _request, { user, scopes }: Bearer) => ({
    methods: await methods.answersFor(ctx, user.id, scopes),
  }),
});

export const removeAuthMethod = operation({
  id: "removeAuthMethod",
  tag: "Sign-in methods",
  summary: "Remove a method",
  description:
    "Ends the user's logins and account pages in all other browsers. The last method that can sign the user in cannot be removed. A user with a second factor needs a token of a sign-in with it, at most ten minutes ago: otherwise `INSUFFICIENT_SCOPE` names `acr` and `max_age` in `details`, and `WWW-Authenticate` is the challenge of RFC 9470.",
  answer: { schema: done, about: "Removed." },
  errors: [
    { code: "METHOD_NOT_FOUND", when: "The user has no such method." },
    { code: "INVALID_REQUEST", when: "It is the last method that can sign the user in." },
    userWasDeleted,
  ],
  async handle(ctx, request, bearer: Bearer) {
    await requireSecondFactor(ctx, bearer, { fresh: true });
    const {
      user: { id },
      claims,
    } = bearer;
    const keep = { login: claims.sid };
    await methods.remove(ctx, id, request.parameter("methodId"), byUser(id, request), { keep });
    return { success: true, message: "The sign-in method was removed." };
  },
});
