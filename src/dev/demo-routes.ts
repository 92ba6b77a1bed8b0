import type { Answer } from "../http/answer.ts";
import type { AssetLinks } from "../pages/assets/assets.ts";
import { demoPage } from "../pages/dev/demo-page.ts";
import { pageAnswer } from "../pages/page-answer.ts";

export type DemoApp = { appId: string; apiKey: string; callbackUrl: string; hooksUrl: string; wikiId: string };

/**
 * GET /dev/demo and its callback: a single page that finds its place in the walk from its URL and
 * this tab's storage.
 */
export function demoHandler({ demo, assets, baseUrl }: { demo: DemoApp; assets: AssetLinks; baseUrl: string }) {
  const answer = pageAnswer(demoPage({ ...demo, baseUrl, assets }));
  return (): Answer => answer;
}
