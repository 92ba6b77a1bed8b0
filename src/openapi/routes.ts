import { json, type Answer } from "../http/answer.ts";
import type { AssetLinks } from "../pages/assets.ts";
import { docsPage } from "../pages/docs-page.ts";
import { pageAnswer } from "../pages/page-answer.ts";

const maxAgeSeconds = 300;

/** GET /openapi.json. What it is made of is loaded with the first call: most services are never asked. */
export function openApiHandler(baseUrl: string) {
  let answer: Promise<Answer> | undefined;
  return async (): Promise<Answer> => {
    answer ??= import("./document.ts").then(({ openApiDocument }) => {
      const made = json(openApiDocument(baseUrl));
      made.headers["cache-control"] = `public, max-age=${maxAgeSeconds}`;
      return made;
    });
    return await answer;
  };
}

/** GET /docs: the same for people, to read and to try out. */
export function docsHandler(assets: AssetLinks) {
  return (): Answer => pageAnswer(docsPage(assets), { byLibrary: true });
}
