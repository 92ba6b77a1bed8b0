import { z } from "zod";
import { instant, number, text } from "./parts.ts";

export const metadataPart = (about: string) => z.record(z.string(), z.unknown()).describe(about);

const groupFields = { name: text("Unique in the application."), createdAt: instant("When it was created.") };
const member = z
  .strictObject({
    id: text("The User ID, `usr_…`."),
    email: z.email().nullable().describe("The user's email address."),
    name: text("The display name.").nullable(),
    addedAt: instant("When the user became a member."),
  })
  .describe("A member of a group.");

/** The answers about groups and metadata. */
export const groupAnswers = {
  Group: z.strictObject(groupFields).describe("A group of users."),
  GroupDetails: z
    .strictObject({ ...groupFields, members: number("The number of members.") })
    .describe("A group with the number of its members."),
  Groups: z
    .strictObject({ groups: z.array(z.strictObject(groupFields).describe("A group.")).describe("Sorted by name.") })
    .describe("The groups of an application."),
  GroupMembers: z
    .strictObject({
      members: z.array(member).describe("Sorted by User ID."),
      nextCursor: text("The cursor of the next page; null on the last page.").nullable(),
    })
    .describe("A page of a group's members."),
  GroupsOfUser: z
    .strictObject({ groups: z.array(text("A group.")).describe("Sorted.") })
    .describe("The names of a user's groups."),
  Metadata: z
    .strictObject({
      public: metadataPart("The part that the user may read."),
      private: metadataPart(
        "The part that only the application's server and the operator can read, unless a claim contains it.",
      ),
    })
    .describe("What the application stores about a user."),
};
