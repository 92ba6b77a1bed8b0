/** The forms for an uploaded picture or logo, which is saved at once. */
import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import { storedPicture } from "../../lib/stored-picture.ts";
import { checkedPicture } from "../../pictures/image.ts";
import type { PictureChange, ShownPicture } from "../../pictures/service.ts";
import type { By } from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import { act, type Act, type Post, type Visit } from "../route.ts";
import type { ActButton, ActForm } from "./act-form.ts";
import { actList } from "./act-list.ts";
import { part } from "./data.ts";
import { done } from "./notice.ts";
import { refusableForm, refusalOf, type Entered, type FormRefusal } from "./refusal.ts";

/** The last part of an act's path. */
export type PictureAct = PictureChange["kind"];
export const picturePaths: Record<PictureAct, string> = { save: "", remove: "/remove", undo: "/undo" };
export const pictureNotices: Record<PictureAct, string> = {
  save: "It was saved. You can undo that for an hour.",
  remove: "It was removed.",
  undo: "The change was undone.",
};

type FormOf = (
  act: PictureAct,
  form: Omit<ActForm, "fields"> & { fields?: (entered: Entered) => Html },
) => ActButton | undefined;

/** `present`: the owner's value, perhaps an address elsewhere. */
type PictureForms = {
  word: "picture" | "logo";
  present: string | null;
  shown: ShownPicture | undefined;
  command: readonly string[];
  removeCommand: readonly string[];
};

export function pictureForms(
  formOf: FormOf,
  { word, present, shown, command, removeCommand }: PictureForms,
): (ActButton | undefined)[] {
  const kinds = word === "logo" ? "PNG or JPEG" : "PNG, JPEG or WebP";
  return [
    formOf("save", {
      label: present === null && !shown ? `Add a ${word}` : `Replace the ${word}`,
      press: "Save",
      about: `Saved at once; for an hour you can undo it. Metadata, such as a place, is removed.`,
      upload: word,
      fields: () =>
        html`<label
          >File <span class="hint">${kinds}, at most 256 KiB and 4096 pixels a side</span
          ><input name="file" type="file" accept="${word === "logo" ? "image/png,image/jpeg,image/webp" : "image/*"}"
        /></label>`,
      command: [...command, "FILE"],
    }),
    shown?.mayUndo === true
      ? formOf("undo", {
          label: `Undo the last ${word}`,
          press: "Undo",
          about: `What was there before the last upload comes back.`,
          fields: () => html`<input type="hidden" name="digest" value="${shown.stored.digest}" />`,
        })
      : undefined,
    present === null && !shown
      ? undefined
      : formOf("remove", {
          label: `Remove the ${word}`,
          press: "Remove",
          about: "It is deleted at once. This cannot be undone.",
          command: removeCommand,
          isGrave: true,
        }),
  ];
}

/** The change that such a form asks for. Throws INVALID_REQUEST. */
export function pictureChangeIn({ form, request }: Post, act: PictureAct, word: "picture" | "logo"): PictureChange {
  if (act === "remove") return { kind: act };
  if (act === "undo") return { kind: act, digest: form.get("digest") ?? "" };
  return { kind: act, picture: checkedPicture(request.file, word === "logo" ? "logo" : "person", "File") };
}

type LogoOf<Owner> = {
  find: (ctx: Context, post: Post) => Promise<Owner>;
  change: (ctx: Context, owner: Owner, change: PictureChange, by: By) => Promise<void>;
  show: (ctx: Context, post: Post, owner: Owner, refusal: FormRefusal) => Promise<Answer>;
  pathOf: (owner: Owner) => string;
};

/** The acts on a logo, each on the owner's page. */
export function logoActsOf<Owner>(path: string, of: LogoOf<Owner>): Record<PictureAct, Act> {
  const actOf = (kind: PictureAct): Act => {
    const handle = async (ctx: Context, post: Post): Promise<Answer> => {
      const owner = await of.find(ctx, post);
      try {
        await of.change(ctx, owner, pictureChangeIn(post, kind, "logo"), post.by);
      } catch (error) {
        return await of.show(ctx, post, owner, refusalOf(error, post));
      }
      return done(ctx, post, of.pathOf(owner), pictureNotices[kind]);
    };
    return act(`${path}${picturePaths[kind]}`, "owner", "nothing", handle, { takesFile: kind === "save" });
  };
  return { save: actOf("save"), remove: actOf("remove"), undo: actOf("undo") };
}

type LogoForms = Omit<PictureForms, "word"> & { parameters: Record<string, string>; none: string };

/** The logo with its forms. `none`: what is said instead of an uploaded one. */
export function logoPart(
  visit: Visit,
  acts: Record<PictureAct, Act>,
  refusal: FormRefusal | undefined,
  { parameters, none, ...of }: LogoForms,
): Html {
  const forms = pictureForms((kind, form) => refusableForm(visit, acts[kind], refusal, { ...form, parameters }), {
    word: "logo",
    ...of,
  });
  return part("Logo", html`${logoOnBoth(of.present) ?? html`<p class="none">${none}</p>`} ${actList(forms)}`);
}

/** A logo as it looks on light and on dark pages. Nothing for an address elsewhere. */
function logoOnBoth(value: string | null): Html | undefined {
  const stored = storedPicture(value);
  if (!stored) return undefined;
  const on = (page: "light" | "dark") =>
    html`<figure
      class="logo"
      data-page="${page}"
      ${stored.ground !== null && stored.ground !== page && html`data-ground="${stored.ground}"`}
    >
      <img src="/console${stored.path}" alt="The logo on a ${page} page" />
    </figure>`;
  return html`<div class="logos">${on("light")} ${on("dark")}</div>
    ${
      stored.ground !== null &&
      html`<p class="hint">
        ${`It could hardly be seen on ${stored.ground === "light" ? "dark" : "light"} pages, so it has a ${stored.ground} ground there.`}
      </p>`
    }`;
}

/** An uploaded picture of a person; of another, only the address. */
export function portrait(value: string): Html | undefined {
  const stored = storedPicture(value);
  return stored && html`<img class="portrait" src="/console${stored.path}" width="64" height="64" alt="" />`;
}
