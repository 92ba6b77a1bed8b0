import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Assets } from "../pages/assets.ts";
import type { DemoApp } from "./development.ts";

/** The demo page; written by a later step. */
export function demoHandler(_deps: { demo: DemoApp; assets: Assets; baseUrl: string }) {
  return (_request: HttpRequest): Answer => ({ status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: "<!doctype html>" });
}
