import { z } from "zod";
import { wholeNumberIn } from "../http/query.ts";
import type { Application } from "../applications/application.ts";
import { hasOrganizations } from "../applications/application.ts";
import { askedKinds, type AskedKind } from "../records/revocations/revocation.ts";
import { revocations, maxWaitSeconds } from "../records/revocations/service.ts";
import { at } from "./answers.ts";
import { flag, instant, text } from "./fields.ts";
import { named, operation } from "./operation.ts";

/** Per application, apart from its other limits: many servers poll every few seconds. */
export const pollsPerMinute = 6000;

export const listRevocations = operation({
  id: "listRevocations",
  tag: "Authentication",
  summary: "Read the revocation feed",
  description:
    "For servers that verify access tokens themselves. Start without `after`, then always send the cursor of the last response. A logout is in the feed as soon as its call returns.",
  query: {
    after: { about: "The `cursor` of the last response. Without it, the call returns the current cursor at once." },
    wait: {
      about: "How many seconds to wait for an entry, if there is none.",
      schema: { type: "integer", minimum: 0, maximum: maxWaitSeconds, default: 0 },
    },
    kinds: {
      about:
        "`organization`: the caller knows entries about organizations. Others get the change of a member as one about the user, and nothing about a whole organization.",
      schema: { type: "string", enum: [...askedKinds] },
    },
  },
  answer: {
    schema: named(
      "Revocations",
      "Entries of the revocation feed: tokens that became invalid before they expired.",
      () =>
        z.strictObject({
          cursor: text("Send it as `after` in the next call. It is valid for 24 hours."),
          revoked: z
            .array(
              z.union([
                z.strictObject({ sid: text("The login (`sid` of its tokens) that has ended.") }),
                z.strictObject({
                  sub: text("The user (`sub`)."),
                  before: instant(
                    "Logins of the user that began before this time may have ended. Validate each of them once.",
                  ),
                }),
                z.strictObject({
                  organization: text("The organization (`org_id`)."),
                  before: instant(
                    "Tokens that name the organization and were issued before this time may say too much. Validate each of them once.",
                  ),
                  user: text("Only tokens of this user (`sub`).").optional(),
                }),
                z.strictObject({ kid: text("The signing key (`kid`) that was revoked.") }),
                z.strictObject({ app: text("The App ID. The application is being deleted: validate every token.") }),
              ]),
            )
            .describe("Oldest first. New kinds may be added: after an unknown kind, validate every token."),
          more: flag("Whether there may be more entries. If so, call again at once."),
        }),
      {
        cursor: "S3ZMZXA5TEt1djVfX1lkVDVXcU5zQ3wxNzYzNjMyODAwMDAwfDQxMg",
        revoked: [{ sid: "lgn_01m839jdtag4pt38q71qh7yc8r" }, { sub: "usr_01m839jdta2je02g4aajdct527", before: at }],
        more: false,
      },
    ),
    about: "The new entries for this application.",
  },
  errors: [
    {
      code: "INVALID_REQUEST",
      status: 410,
      when: "The cursor is too old, or from another database. Start again without `after`, and validate every login once.",
    },
  ],
  async handle(ctx, request, application: Pick<Application, "id" | "settings">) {
    const { id } = application;
    const query = request.query();
    const wait = wholeNumberIn(query, "wait", { from: 0, to: maxWaitSeconds, missing: 0 });
    const kinds = kindsIn(query.get("kinds") ?? "");
    if (hasOrganizations(application) && !kinds.includes("organization")) await revocations(ctx).noteOldReader(id);
    return await revocations(ctx).poll(id, { after: query.get("after"), wait, kinds }, request);
  },
});

/** Unknown ones are ignored: a newer caller may know more. */
function kindsIn(text: string): AskedKind[] {
  return askedKinds.filter((kind) => text.split(",").includes(kind));
}
