/** Shows the button beside each command or id, which copies it; without TLS it selects it. */
export function offerCopies(within: ParentNode): void {
  for (const button of within.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const source = button.previousElementSibling;
      if (!source) return;
      const { clipboard } = navigator as { clipboard?: Clipboard };
      if (!clipboard) return getSelection()?.selectAllChildren(source);
      void clipboard.writeText(source.textContent ?? "").then(() => {
        button.dataset["copied"] = "";
        if (!button.classList.contains("icon")) button.textContent = "Copied";
      });
    });
  }
}
