import { gzipSync } from "node:zlib";
import { json, unlessKnown, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { AssetLinks } from "../pages/assets/assets.ts";
import { docsPage, type ApiDocument } from "../pages/docs/docs-page.ts";
import { pageAnswer } from "../pages/page-answer.ts";

const maxAgeSeconds = 300;

/**
 * GET /openapi.json. Its sources are loaded with the first call: most services never need them.
 */
export function openApiHandler(baseUrl: string) {
  let answers: Promise<{ plain: Answer; compressed: Answer }> | undefined;
  return async (request: HttpRequest): Promise<Answer> => {
    answers ??= import("./document.ts").then(({ openApiDocument }) => compressible(json(openApiDocument(baseUrl))));
    const { plain, compressed } = await answers;
    const readsGzip = /\bgzip\b/iu.test(request.header("accept-encoding") ?? "");
    return unlessKnown(request, readsGzip ? compressed : plain);
  };
}

function compressible(answer: Answer): { plain: Answer; compressed: Answer } {
  const cached = { "cache-control": `public, max-age=${maxAgeSeconds}`, vary: "Accept-Encoding" };
  const headers = { ...answer.headers, ...cached };
  const body = gzipSync(answer.body);
  return {
    // Shared bytes: a thousand unread answers must not be a thousand copies.
    plain: { ...answer, headers, body: Buffer.from(answer.body) },
    compressed: { ...answer, headers: { ...headers, "content-encoding": "gzip" }, body },
  };
}

/** GET /docs: the same for people. Also created at the first visit. */
export function docsHandler(baseUrl: string, assets: AssetLinks) {
  let answer: Promise<Answer> | undefined;
  return async (): Promise<Answer> => {
    answer ??= import("./document.ts").then(({ openApiDocument }) =>
      pageAnswer(docsPage(openApiDocument(baseUrl) as ApiDocument, assets)),
    );
    return await answer;
  };
}
