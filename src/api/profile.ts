import { z } from "zod";
import { hasProfileFields } from "../applications/application.ts";
import * as applications from "../applications/service.ts";
import { sourceOf, type HttpRequest } from "../http/request.ts";
import { factsOn, labelsOf } from "../lib/profile-facts.ts";
import { listInWords } from "../lib/text.ts";
import { requireSecondFactor, type Bearer } from "../tokens/authentication.ts";
import * as profiles from "../people/profile.ts";
import * as users from "../users/service.ts";
import { at, done, lacksFreshFactor, ownFields, profileMetadata, user, userFields, userWasDeleted } from "./answers.ts";
import { address, instant, metadataPart, profileValues } from "./fields.ts";
import { named, operation } from "./operation.ts";
import * as facts from "./profile-facts.ts";

export function byUser(userId: string, request: HttpRequest) {
  return { actor: { kind: "user", name: userId } as const, source: sourceOf(request) };
}

export const getUser = operation({
  id: "getUser",
  tag: "Query-style",
  summary: "Read the token's user",
  description: "Send the access token in the parameter `token` or in the Authorization header.",
  query: { app_id: { about: "Checked if given." } },
  answer: { schema: user, about: "The user, limited to the scopes of the token." },
  errors: [userWasDeleted],
  handle: (ctx, _request, { user: { id }, scopes }: Bearer) => users.get(ctx, id, scopes),
});

export const getProfile = operation({
  id: "getProfile",
  tag: "Profile",
  summary: "Read the user's profile",
  description: "Unknown fields are null. Without the scope `email`, the email address is omitted.",
  answer: {
    schema: named(
      "Profile",
      "The user, with a summary of the sign-ins.",
      () =>
        user.schema.extend({
          metadata: profileMetadata.schema,
          publicMetadata: metadataPart("What the application stores about the user; the user may read it.").optional(),
        }),
      { ...user.example, metadata: profileMetadata.example },
    ),
    about: "The user, limited to the scopes of the token.",
  },
  errors: [userWasDeleted],
  handle: (ctx, _request, { user: { id }, scopes }: Bearer) => profiles.get(ctx, id, scopes),
});

const profileBody = z.strictObject({ ...facts.changedByUser, profile: facts.changedValues });
/** Where the application has no fields of its own: as in version 1.0. */
const profileBodyWithoutFields = profileBody.omit({ profile: true });

export const updateProfile = operation({
  id: "updateProfile",
  tag: "Profile",
  summary: `Change ${listInWords(labelsOf(factsOn("profile")), "and")}`,
  description: "Omitted fields stay as they are.",
  body: {
    name: "ProfileRequest",
    schema: profileBody,
    fields: { ...facts.changedByUserWords, profile: facts.changedValuesWords },
    example: { name: "Ada Lovelace" },
  },
  answer: {
    schema: named(
      "UpdatedProfile",
      "The profile after a change.",
      () =>
        z
          .strictObject(userFields())
          .omit({ emailVerified: true })
          .extend({
            ...facts.answerFields("profile"),
            picture: address("The user's picture.").nullable(),
            updatedAt: instant("When the profile was last changed."),
            profile: profileValues(ownFields).optional(),
          }),
      {
        id: user.example.id,
        email: user.example.email,
        ...facts.answerExample("profile"),
        name: "Ada Lovelace",
        updatedAt: at,
      },
    ),
    about: "The profile after the change.",
  },
  errors: [userWasDeleted],
  async schemaFor({ claims }: Bearer, ctx) {
    const application = await applications.find(ctx, ctx.storage.reader, claims.aud);
    return application && hasProfileFields(application) ? profileBody : profileBodyWithoutFields;
  },
  handle: (ctx, request, { user: { id }, scopes }: Bearer, body) =>
    profiles.update(ctx, id, body, scopes, byUser(id, request)),
});

export const deleteProfile = operation({
  id: "deleteProfile",
  tag: "Profile",
  summary: "Delete the account permanently",
  description: "Deletes the account, its methods, logins and tokens at once. This cannot be undone.",
  answer: { schema: done, about: "The account was deleted." },
  errors: [userWasDeleted, lacksFreshFactor],
  async handle(ctx, request, bearer: Bearer) {
    await requireSecondFactor(ctx, bearer, { fresh: true });
    const { id } = bearer.user;
    await profiles.remove(ctx, id, byUser(id, request));
    return { success: true, message: "The account was deleted." };
  },
});
