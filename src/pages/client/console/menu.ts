/** Opens the menu where it stands beside the page, for browsers that cannot by stylesheet. */
export function openMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>("[data-menu=sections]");
  const isWide = matchMedia("(min-width: 60rem)");
  const follow = (): void => {
    if (menu) menu.open = isWide.matches;
  };
  follow();
  isWide.addEventListener("change", follow);
}
