import { fieldOf, succeeded } from "./api.ts";
import { part } from "./element.ts";
import type { Facts } from "./facts.ts";
import { addedMethod, wikiSignIn, wikiSignOut } from "./further-calls.ts";
import { setButton, setLink, show } from "./show-controls.ts";
import type { Walk } from "./walk.ts";

/** The left side of the further steps. */
export function showFurther(walk: Walk, facts: Facts): void {
  const { exchanges, tokens, hook } = walk;
  const withToken = tokens ? "ready" : "not-yet";
  const isRegistered = hook.endpointId !== undefined;
  for (const name of ["rename", "add-method", "verify-token", "current-user"] as const) setButton(name, withToken);
  for (const name of ["application", "rename-app", "config"] as const) setButton(name, "ready");
  setButton("endpoint", isRegistered ? "used" : "ready");
  setButton("sample", isRegistered ? "ready" : "not-yet");
  setButton("remove-endpoint", isRegistered ? "ready" : "not-yet");

  const isInWiki = succeeded(exchanges.wiki);
  setLink("wiki-page", walk.wiki.returned === undefined ? wikiSignIn(walk, facts) : "");
  setButton("wiki", isInWiki ? "used" : walk.wiki.returned === undefined ? "not-yet" : "ready");
  setButton("wiki-userinfo", isInWiki ? "ready" : "not-yet");
  setLink("wiki-out", wikiSignOut(walk, facts));
  show("wiki-over", walk.wiki.isOver === true);

  const isBack = walk.added !== undefined;
  setLink("add-page", isBack ? "" : fieldOf(exchanges["add-method"], "authUrl"));
  show("added", isBack);
  setButton("remove-method", succeeded(exchanges["remove-method"]) ? "used" : isBack ? "ready" : "not-yet");
  const words = part(document, "added-words");
  if (words) words.textContent = outcomeOf(walk);
  setField("person-name", walk.personName);
  setField("app-name", walk.appName);
  setField("add-type", walk.addType);
}

function outcomeOf(walk: Walk): string {
  const query = new URLSearchParams(walk.added);
  const outcome = query.get("status") ?? query.get("error") ?? "";
  const method = addedMethod(walk);
  return method === "" ? `The browser came back with ${outcome}.` : `The browser came back with ${outcome}: ${method}`;
}

/** Also after a reload, when the browser would restore old input. */
function setField(id: string, value: string): void {
  const field = document.querySelector<HTMLInputElement | HTMLSelectElement>(`#${id}`);
  if (field && document.activeElement !== field) field.value = value;
}
