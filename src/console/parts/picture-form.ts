/** The forms for an uploaded picture or logo, which is saved at once. */
import { html, type Html } from "../../lib/html.ts";
import { storedPicture } from "../../lib/stored-picture.ts";
import { checkedPicture } from "../../pictures/image.ts";
import type { PictureChange, ShownPicture } from "../../pictures/service.ts";
import type { Post } from "../route.ts";
import type { ActButton, ActForm } from "./act-form.ts";
import type { Entered } from "./refusal.ts";

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

/** `word`: picture or logo. `present`: the owner's value, perhaps an address elsewhere. */
export function pictureForms(
  formOf: FormOf,
  {
    word,
    present,
    shown,
    command,
    removeCommand,
  }: {
    word: "picture" | "logo";
    present: string | null;
    shown: ShownPicture | undefined;
    command: readonly string[];
    removeCommand: readonly string[];
  },
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

/** A logo as it looks on light and on dark pages. Nothing for an address elsewhere. */
export function logoOnBoth(value: string | null): Html | undefined {
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
