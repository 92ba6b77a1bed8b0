import type { Answer } from "../http/answer.ts";
import type { AssetLinks } from "../pages/assets.ts";
import { demoPage } from "../pages/demo-page.ts";
import type { DemoApp } from "./development.ts";
import { pageAnswer } from "../pages/page-answer.ts";

/** GET /dev/demo and its callback: one page, which finds out from its address and from this tab's storage where in the walk it is. */
export function demoHandler({ demo, assets, baseUrl }: { demo: DemoApp; assets: AssetLinks; baseUrl: string }) {
  const answer = pageAnswer(demoPage({ ...demo, baseUrl, assets }));
  return (): Answer => answer;
}
