import type { ConsentedResource } from "../../applications/resources/consented.ts";
import { html, type Html } from "../../lib/html.ts";
import { segmentOf } from "../../lib/path-segments.ts";
import { actionForm, part, row, type AccountPlace } from "./parts.ts";
import { momentOf } from "../../look/dates.ts";
import type { Frame } from "../parts/frame.ts";
import { windowsGlyph } from "../../look/glyphs.ts";
import { resourceGrant, scopeGrant } from "../parts/grants.ts";

/** A client with access to the account. Instants are epoch milliseconds. */
export type AccountProgram = {
  clientId: string;
  name: string;
  /** Of an unregistered client, whose name is a host. */
  claimedName?: string | undefined;
  /** Null if it does not ask. */
  allowed: { scopes: string[]; resources: ConsentedResource[]; at: number } | null;
  signedInAt: number | null;
};

/** The programs that have access; nothing if there are none. */
export function accountPrograms(frame: Frame, data: AccountPlace & { programs: AccountProgram[] }): Html | undefined {
  const { programs } = data;
  if (programs.length === 0) return undefined;
  const list = html`<ul class="rows" role="list">
    ${programs.map((program) => programRow(frame, data, program))}
  </ul>`;
  return part("programs", frame.texts.programs, list);
}

function programRow(
  frame: Frame,
  data: AccountPlace,
  { clientId, name, claimedName, allowed, signedInAt }: AccountProgram,
): Html {
  const { texts } = frame;
  return row({
    glyph: windowsGlyph,
    title: name,
    details: allowed && [
      scopeGrant(frame, allowed.scopes),
      allowed.resources.map((resource) => resourceGrant(frame, resource)),
    ],
    facts: [
      ...(claimedName === undefined ? [] : [[texts.callsItself(claimedName)]]),
      ...(allowed === null ? [] : [[texts.allowedOn(momentOf(allowed.at, frame))]]),
      ...(signedInAt === null ? [] : [[texts.signedInOn(momentOf(signedInAt, frame))]]),
    ],
    acts: actionForm(data, {
      page: `/programs/${segmentOf(clientId)}/remove`,
      label: texts.removeAccess,
      busy: texts.removing,
      look: "small bad",
      name: texts.removeAccessNamed(name),
    }),
  });
}
