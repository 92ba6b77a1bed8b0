/** Shows the button beside each command, which copies it. */
export function offerCopies(within: ParentNode): void {
  for (const button of within.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const text = button.previousElementSibling?.textContent ?? "";
      void navigator.clipboard.writeText(text).then(() => (button.textContent = "Copied"));
    });
  }
}
