import { gzipSync } from "node:zlib";
import { z } from "zod";
import { json, unlessKnown, type Answer } from "../../http/answer.ts";
import { assets } from "../../pages/assets/assets.ts";
import { docsPage, type ApiDocument } from "../../pages/docs/docs-page.ts";
import { html } from "../../lib/html.ts";
import type { HttpRequest } from "../../http/request.ts";
import { pageAnswer } from "../../pages/page-answer.ts";
import { part, type Context } from "../../runtime/context.ts";
import { text } from "../fields.ts";
import { named, type ApiRoute, type Operation } from "../operation.ts";

const maxAgeSeconds = 300;

/** `routes`: all described routes. A function, because this call is one of them. */
export function getOpenApi(routes: () => readonly ApiRoute[]): Operation<unknown> {
  /** Built by the first call, with its sources: most services never need it. */
  const answers = part(async ({ baseUrl }: Context) => {
    const { openApiDocument } = await import("./document.ts");
    return compressible(json(openApiDocument(routes(), baseUrl)));
  });
  return {
    id: "getOpenApi",
    tag: "Service",
    summary: "Read this document",
    description: "Describes every call, for programs.",
    answer: {
      schema: named("OpenApi", "An OpenAPI document.", () => z.object({ openapi: text("The version of OpenAPI.") }), {
        openapi: "3.1.1",
      }),
      about: "OpenAPI 3.1.",
      hasTag: true,
    },
    async respond(ctx, request) {
      const { plain, compressed } = await answers(ctx);
      const readsGzip = /\bgzip\b/iu.test(request.header("accept-encoding") ?? "");
      return unlessKnown(request, readsGzip ? compressed : plain);
    },
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

/** GET /docs: the same for people. The document is built by the first call. */
export function docsHandler(routes: readonly ApiRoute[]): (ctx: Context, request: HttpRequest) => Promise<Answer> {
  const documents = part(async ({ baseUrl }: Context): Promise<ApiDocument> => {
    const { openApiDocument } = await import("./document.ts");
    return openApiDocument(routes, baseUrl) as ApiDocument;
  });
  return async (ctx, request) => {
    const query = request.query();
    const shown = { show: query.get("show") ?? "", search: query.get("search")?.trim() ?? "" };
    const api = await documents(ctx);
    const page = docsPage(api, assets(ctx).links, shown);
    if (page) return pageAnswer(page);
    const start = docsPage(api, assets(ctx).links, { show: "", search: shown.search });
    return pageAnswer(start ?? html``, { status: 404 });
  };
}
