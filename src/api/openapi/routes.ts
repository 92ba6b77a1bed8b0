import { gzipSync } from "node:zlib";
import { json, unlessKnown, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { assets } from "../../pages/assets/assets.ts";
import { docsPage, type ApiDocument } from "../../pages/docs/docs-page.ts";
import { pageAnswer } from "../../pages/page-answer.ts";
import { part, type Context } from "../../runtime/context.ts";

const maxAgeSeconds = 300;

/** Made with the first call, with its sources: most services never need it. */
const answers = part(async ({ baseUrl }: Context) => {
  const { openApiDocument } = await import("./document.ts");
  return compressible(json(openApiDocument(baseUrl)));
});

/** GET /openapi.json */
export async function openApiHandler(ctx: Context, request: HttpRequest): Promise<Answer> {
  const { plain, compressed } = await answers(ctx);
  const readsGzip = /\bgzip\b/iu.test(request.header("accept-encoding") ?? "");
  return unlessKnown(request, readsGzip ? compressed : plain);
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

/** GET /docs: the same for people. */
export const docsHandler = part(async (ctx: Context): Promise<Answer> => {
  const { openApiDocument } = await import("./document.ts");
  return pageAnswer(docsPage(openApiDocument(ctx.baseUrl) as ApiDocument, assets(ctx).links));
});
