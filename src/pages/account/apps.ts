import { html, type Html } from "../../lib/html.ts";
import type { StoredPicture } from "../../lib/stored-picture.ts";
import { face } from "../parts/face.ts";
import { safeHref, type Frame } from "../parts/frame.ts";
import { part } from "./parts.ts";

/** A program that its person opens from here. */
export type AccountApp = { id: string; name: string; url: string; picture: Pick<StoredPicture, "path"> | undefined };

/** Nothing if there are none. */
export function accountApps(frame: Frame, { apps }: { apps: AccountApp[] }): Html | undefined {
  if (apps.length === 0) return undefined;
  const list = html`<ul class="rows" role="list">
    ${apps.map((app) => appRow(frame, app))}
  </ul>`;
  return part("apps", frame.texts.yourApps, list);
}

function appRow({ look }: Frame, { id, name, url, picture }: AccountApp): Html {
  return html`<li class="row">
    ${
      picture
        ? html`<img class="face" src="${picture.path}" alt="" />`
        : face(look, { id, name, email: null, picture: null })
    }
    <div>
      <p class="title">
        <a href="${safeHref(url)}" rel="noreferrer"><bdi>${name}</bdi></a>
      </p>
    </div>
  </li>`;
}
