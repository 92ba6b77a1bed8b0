import { first } from "./page.ts";

/** Replaces a logo that fails to load by the app's initial and name. */
export function replaceBrokenLogo(): void {
  const initial = first("[data-no-logo]");
  const logo = first<HTMLImageElement>(".brand img");
  if (!initial || !logo) return;
  logo.decode().catch(() => {
    logo.parentElement?.remove();
    initial.hidden = false;
  });
}
