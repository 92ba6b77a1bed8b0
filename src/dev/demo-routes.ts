import type { Answer } from "../http/answer.ts";
import { render } from "../lib/html.ts";
import type { AssetLinks } from "../pages/assets.ts";
import { demoPage } from "../pages/demo-page.ts";
import type { DemoApp } from "./development.ts";

/** As strict as for the hosted pages: the page that teaches the contract shows that nothing needs an exception. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** GET /dev/demo and its callback: one page, which finds out from its address and from this tab's storage where in the walk it is. */
export function demoHandler({ demo, assets, baseUrl }: { demo: DemoApp; assets: AssetLinks; baseUrl: string }) {
  const answer: Answer = {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": contentSecurityPolicy,
      "cross-origin-opener-policy": "same-origin",
      "x-frame-options": "DENY",
    },
    body: render(demoPage({ ...demo, baseUrl, assets })),
  };
  return (): Answer => answer;
}
