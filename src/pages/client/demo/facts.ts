/** What the page says of the app that it plays. */
export type Facts = { appId: string; apiKey: string; callbackUrl: string; baseUrl: string };

export function readFacts(): Facts {
  const { appId = "", apiKey = "", callbackUrl = "", baseUrl = "" } = document.querySelector("main")?.dataset ?? {};
  return { appId, apiKey, callbackUrl, baseUrl };
}
