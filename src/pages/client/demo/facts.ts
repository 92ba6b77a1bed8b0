/** The demo app's data, from the page. */
export type Facts = {
  appId: string;
  apiKey: string;
  callbackUrl: string;
  hooksUrl: string;
  wikiId: string;
  baseUrl: string;
};

export function readFacts(): Facts {
  const { dataset = {} } = document.querySelector("main") ?? {};
  const { appId = "", apiKey = "", callbackUrl = "", hooksUrl = "", wikiId = "", baseUrl = "" } = dataset;
  return { appId, apiKey, callbackUrl, hooksUrl, wikiId, baseUrl };
}
