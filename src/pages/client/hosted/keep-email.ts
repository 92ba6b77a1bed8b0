import { first } from "./page.ts";

/**
 * Keeps the typed address between sign-in and sign-up pages in this tab's storage, one entry per
 * sign-in. A URL would leak it to history, logs or a Referer.
 */
export function keepEmail(): void {
  const input = first<HTMLInputElement>("#email");
  const session = first("[data-session]")?.dataset.session;
  if (!input || session === undefined) return;
  const key = `email ${session}`;
  try {
    input.value ||= sessionStorage.getItem(key) ?? "";
    addEventListener("pagehide", () => sessionStorage.setItem(key, input.value));
  } catch {
    // Storage is disabled: the person types the address again.
  }
}
