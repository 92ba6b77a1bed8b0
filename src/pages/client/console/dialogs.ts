/** Closes the menus of acts as people expect it, and shows the dialog that a refusal left open. */
export function openDialogs(): void {
  const refused = document.querySelector<HTMLElement>(".dialog.open");
  if (refused && "popover" in refused) {
    refused.popover = "auto";
    refused.showPopover();
  }
  const closeMenus = (except?: Element | null): void => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("[data-menu=acts][open]"))
      if (menu !== except) menu.open = false;
  };
  document.addEventListener("click", ({ target }) => {
    const menu = target instanceof Element ? target.closest("[data-menu=acts]") : null;
    closeMenus(target instanceof Element && target.closest(".item") ? null : menu);
  });
  // The page stays.
  document.addEventListener("submit", ({ target }) => {
    if (target instanceof Element && target.matches("[data-download]"))
      target.closest<HTMLElement>("[popover]")?.hidePopover();
  });
  document.addEventListener("keydown", ({ key }) => {
    const menu = document.querySelector<HTMLDetailsElement>("[data-menu=acts][open]");
    if (key !== "Escape" || !menu) return;
    closeMenus();
    menu.querySelector("summary")?.focus();
  });
}
