import type { Answer } from "../http/answer.ts";
import { compactCss } from "../pages/assets/assets.ts";

export const stylesheetPath = "/dev/pages.css";

/** Styles of the pages for developers, in addition to those of the hosted pages. */
const stylesheet = `
.card{max-inline-size:42rem}
.rows{list-style:none;padding:0}
.rows li{border-block-start:1px solid var(--line);padding-block:.75rem}
.rows a{font-weight:600}
.rows .also a{font-weight:400;margin-inline-end:.75rem}
iframe{display:block;inline-size:100%;block-size:44rem;border:1px solid var(--line);border-radius:.5rem;background:#fff}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:.5rem;padding:1rem;font-size:.875rem;user-select:text}
h2{font-size:1rem}
h1 + .hint{margin-block-start:.5rem}
.parts > * + *{margin-block-start:1.25rem}
.parts > h2 + *{margin-block-start:.25rem}
.parts > .hint + pre{margin-block-start:.5rem}
.acts{display:grid;grid-template-columns:repeat(3,1fr);gap:.5rem}
.acts .button{padding-inline:.5rem}
summary{padding-block:.625rem;font-weight:500;cursor:pointer}
details > pre{margin-block-start:0}
`;

/** GET /dev/pages.css */
export function stylesheetAnswer(): Answer {
  return {
    status: 200,
    headers: { "content-type": "text/css; charset=utf-8", "cache-control": "no-store" },
    body: compactCss(stylesheet),
  };
}
