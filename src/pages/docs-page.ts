import { html, type Html } from "../lib/html.ts";
import type { AssetLinks } from "./assets.ts";

/** The description of the calls, to read and to try out. What fills it is in `client/docs.ts` and Swagger UI. */
export function docsPage({ icon, apiDocs }: Pick<AssetLinks, "icon" | "apiDocs">): Html {
  const { stylesheet, swaggerScript, script } = apiDocs();
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>authsvc: the HTTP API</title>
        <link rel="icon" href="${icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${stylesheet}" />
        <script src="${swaggerScript}" defer></script>
        <script src="${script}" defer></script>
      </head>
      <body>
        <main id="calls">
          <noscript
            >This page needs JavaScript. The same description, for programs:
            <a href="/openapi.json">/openapi.json</a></noscript
          >
        </main>
      </body>
    </html>`;
}
