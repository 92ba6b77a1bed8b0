// The script of the API reference, which works without it: copies, and filters while one types.
import { offerCopies } from "./console/copy.ts";
import { openMenu } from "./console/menu.ts";

openMenu();
offerCopies(document);
filterCalls();
document.querySelector(".calls [aria-current]")?.scrollIntoView({ block: "nearest" });

function filterCalls(): void {
  const input = document.querySelector<HTMLInputElement>("#search");
  const none = document.querySelector<HTMLElement>("[data-none]");
  if (!input || !none) return;
  input.form?.querySelector("button")?.remove();
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/u);
    const isFound = ({ textContent }: Element): boolean =>
      words.every((word) => textContent.toLowerCase().includes(word));
    for (const section of document.querySelectorAll<HTMLElement>(".calls section")) {
      const items = [...section.querySelectorAll<HTMLElement>("li")];
      for (const item of items) {
        item.hidden = !isFound(item);
        // The page that a link opens keeps the filter.
        const link = item.querySelector("a");
        const url = new URL(link?.href ?? "", location.href);
        url.searchParams.set("search", input.value);
        if (link) link.href = url.href;
      }
      section.hidden = items.every(({ hidden }) => hidden);
    }
    none.hidden = document.querySelector(".calls section:not([hidden])") !== null;
  });
}
