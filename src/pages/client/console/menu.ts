/**
 * Opens the menu if it is displayed beside the page, for browsers that cannot do it by stylesheet.
 */
export function openMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>("[data-menu=sections]");
  const isWide = matchMedia("(min-width: 60rem)");
  const follow = (): void => {
    if (menu) menu.open = isWide.matches;
  };
  follow();
  isWide.addEventListener("change", follow);
}
