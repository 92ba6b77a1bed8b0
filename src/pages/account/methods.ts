import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import { accountPath, actionForm, actionLink, part, row, type AccountPlace } from "./parts.ts";
import { ago, dayOf } from "../../look/dates.ts";
import type { Frame } from "../parts/frame.ts";
import { lockGlyph, passkeyGlyph, plusGlyph } from "../../look/glyphs.ts";
import { providerMark } from "../../look/marks.ts";

/** A sign-in method as its owner sees it. Instants are epoch milliseconds. */
export type AccountMethod = {
  id: string;
  createdAt: number;
  lastUsedAt: number | null;
  /** Whether the app accepts it now. */
  works: boolean;
  /** Whether its owner could sign in without it. */
  isRemovable: boolean;
} & (
  | { type: "passkey"; name: string }
  | { type: "oauth"; provider: string; displayName: string; email: string | null }
  | { type: "password"; changedAt: number }
);

export type AddableMethods = {
  passkey: boolean;
  password: boolean;
  providers: readonly { name: string; displayName: string }[];
};

export function accountMethods(
  frame: Frame,
  data: AccountPlace & { now: number; methods: AccountMethod[]; adds: AddableMethods },
): Html {
  const { texts } = frame;
  const content = html`<ul class="rows" role="list">
      ${data.methods.map((method) => methodRow(frame, data, method))}
    </ul>
    <div class="adds">${addForms(frame, data, data.adds)}</div>`;
  return part("sign-in", texts.methods, content);
}

/** The name of a method outside the list. */
export function methodTitle({ texts }: Frame, method: AccountMethod): string {
  if (method.type === "passkey") return method.name;
  return method.type === "oauth" ? method.displayName : texts.password;
}

function methodRow(frame: Frame, place: AccountPlace & { now: number }, method: AccountMethod): Html {
  const { texts, look } = frame;
  const title = methodTitle(frame, method);
  const page = `/methods/${encodeURIComponent(method.id)}`;
  return row({
    glyph: glyphOf(method),
    title,
    facts: [
      ...(method.type === "oauth" && method.email !== null ? [[method.email]] : []),
      [
        ...(method.type === "passkey" ? [texts.passkey] : []),
        methodSince(frame, method),
        useOf(frame, method, place.now),
      ],
      ...(method.works ? [] : [[texts.notInUse(look.name)]]),
    ],
    acts: [
      method.type === "passkey" &&
        actionLink(accountPath(place.appId, `${page}/rename`), texts.rename, texts.renameNamed(title)),
      method.type === "password" && method.works && changeForm(frame, place),
      method.isRemovable &&
        actionLink(accountPath(place.appId, `${page}/remove`), texts.remove, texts.removeNamed(title)),
    ],
  });
}

function glyphOf(method: AccountMethod): Html {
  if (method.type === "passkey") return passkeyGlyph;
  return method.type === "oauth" ? providerMark(method.provider) : lockGlyph;
}

/** When it was added, or a password changed. */
export function methodSince(frame: Frame, method: AccountMethod): string {
  return method.type === "password" && method.changedAt > method.createdAt
    ? frame.texts.changedOn(dayOf(method.changedAt, frame))
    : frame.texts.addedOn(dayOf(method.createdAt, frame));
}

function useOf(frame: Frame, { lastUsedAt }: AccountMethod, now: number): string {
  return lastUsedAt === null ? frame.texts.neverUsed : frame.texts.lastUsed(ago(lastUsedAt, now, frame));
}

function changeForm({ texts }: Frame, place: AccountPlace): Html {
  return actionForm(place, {
    page: "/add",
    fields: { adds: "password" },
    label: texts.change,
    busy: texts.continuing,
    look: "small",
    name: texts.changePassword,
  });
}

function addForms({ texts }: Frame, place: AccountPlace, adds: AddableMethods): HtmlValue {
  const common = { page: "/add", busy: texts.continuing, look: "plain" } as const;
  const connects = adds.providers.map(({ name, displayName }) =>
    actionForm(place, {
      ...common,
      fields: { adds: "oauth", provider: name },
      label: texts.connect(displayName),
      before: providerMark(name),
    }),
  );
  return [
    adds.passkey &&
      actionForm(place, { ...common, fields: { adds: "passkey" }, label: texts.addPasskey, before: passkeyGlyph }),
    adds.password &&
      actionForm(place, { ...common, fields: { adds: "password" }, label: texts.addPassword, before: lockGlyph }),
    connects.length < 2
      ? connects
      : html`<details>
          <summary class="button plain">${plusGlyph} <span>${texts.connectMenu}</span></summary>
          <div class="adds">${connects}</div>
        </details>`,
  ];
}
