/** The picture of a profile, as a file. It is saved at once. */
import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { AppError } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import * as people from "../../people/pictures.ts";
import { readPicture, type PictureProblem } from "../../pictures/image.ts";
import * as pictures from "../../pictures/service.ts";
import type { PictureChange, ShownPicture } from "../../pictures/service.ts";
import type { Context } from "../../runtime/context.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { face, type Person } from "../parts/face.ts";
import { problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import type { Texts } from "../../look/texts/en.ts";
import type { Frame } from "../parts/frame.ts";
import type { ProblemWords } from "../parts/problems.ts";
import { accountFrame, accountPath, actionForm, backLink, type AccountPlace } from "./parts.ts";
import * as accountVisits from "./visits.ts";
import { byUser, type AccountPosted, type PlainNotice, type SignedInVisit } from "./visits.ts";

type Problem = { kind: PictureProblem | "too-late" } | undefined;

export type PictureFormData = AccountPlace & {
  user: Person;
  shown: (Pick<ShownPicture, "mayUndo"> & { stored: { digest: string } }) | undefined;
  problem?: Problem;
};

/** The form for choosing, removing and restoring the picture. */
export function pictureFormPage(frame: Frame, data: PictureFormData): Html {
  const { texts } = frame;
  const { appId, token, user, shown, problem } = data;
  const refused = problem && problemWords(frame, problem);
  const beside = refused && "beside" in refused && refused.beside;
  const body = html`<h1>${texts.changePicture}</h1>
    ${problemSummary(refused)}
    <div class="preview">
      ${face(frame.look, user)}
      <div class="acts">
        ${
          shown?.mayUndo === true &&
          actionForm(data, {
            page: "/picture/undo",
            fields: { digest: shown.stored.digest },
            label: texts.undo,
            busy: texts.saving,
            look: "small",
          })
        }
        ${
          user.picture !== null &&
          actionForm(data, {
            page: "/picture/remove",
            label: texts.removePicture,
            busy: texts.removing,
            look: "small bad",
          })
        }
      </div>
    </div>
    ${shown?.mayUndo === true && html`<p class="hint">${texts.undoPictureNext}</p>`}
    <form method="post" action="${accountPath(appId, "/picture")}" enctype="multipart/form-data" novalidate data-upload>
      ${tokenField(token)}
      <div class="field">
        <label for="file">${texts.pictureFile}</label>
        <p class="hint" id="file-hint">${texts.pictureFileHint}</p>
        <p class="beside" id="file-problem" ${!beside && html`hidden`}>${beside}</p>
        <div class="control">
          <input
            id="file"
            name="file"
            type="file"
            accept="image/png,image/jpeg,image/webp"
            aria-describedby="file-hint file-problem"
            ${beside && html`aria-invalid="true" autofocus`}
          />
        </div>
      </div>
      ${submitButton({ label: texts.savePicture, busy: texts.saving, look: "main" })}
    </form>
    ${backLink(frame, appId)}`;
  return accountFrame(frame, { title: texts.changePicture, body, problem: refused !== undefined, uploads: true });
}

function problemWords({ texts }: Frame, { kind }: NonNullable<Problem>): ProblemWords {
  if (kind === "too-late") return { summary: texts.pictureTooLate };
  return { field: "file", beside: texts[words[kind]] };
}

/** The names of texts. */
const words = {
  none: "pictureNone",
  large: "pictureLarge",
  wide: "pictureWide",
  moving: "pictureMoving",
  print: "picturePrint",
  broken: "pictureBroken",
  vector: "pictureOther",
  heic: "pictureOther",
  webp: "pictureOther",
  other: "pictureOther",
} as const satisfies Record<PictureProblem, keyof Texts>;

async function show(ctx: Context, visit: SignedInVisit, problem?: Problem): Promise<Answer> {
  const { application, browser, frame, user } = visit;
  const shown = await pictures.shownOf(ctx, { userId: user.id });
  const data = { appId: application.id, token: browser.formToken, user, shown, problem };
  return accountVisits.page(visit, pictureFormPage(frame, data), { status: problem ? 422 : 200 });
}

/** GET /account/picture */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visit(ctx, request);
  return isAnswer(visit) ? visit : await show(ctx, visit);
}

/** POST /account/picture */
export async function save(ctx: Context, request: HttpRequest): Promise<Answer> {
  let posted: AccountPosted | Answer;
  try {
    posted = await accountVisits.postFile(ctx, request);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "BODY_TOO_LARGE") throw error;
    const visit = await accountVisits.visit(ctx, request);
    return isAnswer(visit) ? visit : { ...(await show(ctx, visit, { kind: "large" })), status: 413, error };
  }
  if (isAnswer(posted)) return posted;
  const picture = readPicture(request.file, "person");
  if (typeof picture === "string") return await show(ctx, posted, { kind: picture });
  return await changed(ctx, posted, { kind: "save", picture }, "picture");
}

/** POST /account/picture/remove */
export async function remove(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  return isAnswer(posted) ? posted : await changed(ctx, posted, { kind: "remove" }, "picture-removed");
}

/** POST /account/picture/undo */
export async function undo(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const digest = posted.form.get("digest") ?? "";
  return await changed(ctx, posted, { kind: "undo", digest }, "picture-undone");
}

async function changed(
  ctx: Context,
  posted: AccountPosted,
  change: PictureChange,
  notice: PlainNotice,
): Promise<Answer> {
  try {
    await people.change(ctx, posted.user.id, change, byUser(posted));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "CONFLICT") throw error;
    return await show(ctx, posted, { kind: "too-late" });
  }
  return accountVisits.done(posted, notice);
}
