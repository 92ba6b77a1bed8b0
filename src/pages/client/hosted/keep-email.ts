import { first } from "./page.ts";

/**
 * Carries the typed address between signing in and creating an account: in this tab's storage, one entry a sign-in,
 * never in an address that history, logs or a Referer would keep.
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
    // Storage is switched off: the address is typed again.
  }
}
