/** The personal access tokens of a user, for the application's server. */
import { z } from "zod";
import { tokenNotFound, type PersonalToken } from "../credentials/personal/rules.ts";
import * as personalTokens from "../credentials/personal/service.ts";
import * as userAdministration from "../people/administration.ts";
import { at, done } from "./answers.ts";
import { instant, text } from "./fields.ts";
import { byManager, type Managed } from "./management-guards.ts";
import { named, operation } from "./operation.ts";
import { noSuchUser } from "./users.ts";

const personalToken = named(
  "PersonalToken",
  "A live personal access token, without its secret.",
  () =>
    z.strictObject({
      id: text("`ptk_…`; `jti` in the answers of validate and introspection."),
      name: text("The name that the user gave it."),
      scopes: z.array(text("A scope.")).describe("The scopes that the user chose."),
      resource: text("The resource that it is for; null for the application.").nullable(),
      hosts: z.array(text("A host.")).describe("The protected hosts that it opens."),
      createdAt: instant("When it was made."),
      expiresAt: instant("When it ends."),
      lastUsedAt: instant("When it was last used, accurate to five minutes.").nullable(),
    }),
  {
    id: "ptk_01m839jdta2je02g4aajdct527",
    name: "Backup script",
    scopes: ["profile"],
    resource: null,
    hosts: [],
    createdAt: at,
    expiresAt: "2027-02-18T23:00:00.000Z",
    lastUsedAt: null,
  },
);

function liveAnswer(token: PersonalToken) {
  const { endedAt: _, endReason: __, ...answer } = personalTokens.answerFor(token);
  return answer;
}

export const listPersonalTokens = operation({
  id: "listPersonalTokens",
  tag: "Users",
  summary: "List a user's personal access tokens",
  description: "The live ones, also while the application refuses personal access tokens.",
  answer: {
    schema: named(
      "PersonalTokens",
      "A user's live personal access tokens.",
      () => z.strictObject({ tokens: z.array(personalToken.schema).describe("Newest first.") }),
      { tokens: [personalToken.example] },
    ),
    about: "Newest first.",
  },
  errors: [noSuchUser],
  async handle(ctx, request, application: Managed) {
    const { id: userId } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
    return { tokens: (await personalTokens.list(ctx, userId, { all: false })).map(liveAnswer) };
  },
});

export const endPersonalToken = operation({
  id: "endPersonalToken",
  tag: "Users",
  summary: "End a personal access token of a user",
  description: "It is refused from the next call on, for good. Sends `personal-token.ended`.",
  answer: { schema: done, about: "Ended." },
  errors: [
    noSuchUser,
    { code: "INVALID_REQUEST", status: 404, when: "The user has no live personal access token with this id." },
  ],
  async handle(ctx, request, application: Managed) {
    const { id: userId } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
    const which = { userId, id: request.parameter("tokenId") };
    const by = byManager(request, application);
    if ((await personalTokens.end(ctx, which, { reason: "operator", by })) === 0) throw tokenNotFound();
    return { success: true, message: "The personal access token was ended." };
  },
});
