import { fieldOf, succeeded } from "./api.ts";
import { part } from "./element.ts";
import { addedMethod } from "./further-calls.ts";
import { setButton, setLink, show } from "./show-controls.ts";
import type { Walk } from "./walk.ts";

/** The left side of the further steps. */
export function showFurther(walk: Walk): void {
  const { exchanges, tokens, hook } = walk;
  const withToken = tokens ? "ready" : "not-yet";
  const isRegistered = hook.endpointId !== undefined;
  for (const name of ["rename", "add-method", "verify-token", "current-user"] as const) setButton(name, withToken);
  for (const name of ["application", "rename-app", "config"] as const) setButton(name, "ready");
  setButton("endpoint", isRegistered ? "used" : "ready");
  setButton("sample", isRegistered ? "ready" : "not-yet");
  setButton("remove-endpoint", isRegistered ? "ready" : "not-yet");

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
