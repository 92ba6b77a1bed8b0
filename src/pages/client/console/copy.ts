/** Shows the button beside each command or id, which copies it. Where it may not, it selects it. */
export function offerCopies(within: ParentNode): void {
  for (const button of within.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const source = button.previousElementSibling;
      if (source)
        void copy(source).then((isCopied) => {
          if (!isCopied) return;
          button.dataset["copied"] = "";
          if (!button.classList.contains("icon")) button.textContent = "Copied";
        });
    });
  }
}

async function copy(source: Element): Promise<boolean> {
  // Missing without TLS, and refused where a policy says so.
  const { clipboard } = navigator as { clipboard?: Clipboard };
  const isWritten = await clipboard?.writeText(source.textContent ?? "").then(
    () => true,
    () => false,
  );
  if (isWritten) return true;
  getSelection()?.selectAllChildren(source);
  // oxlint-disable-next-line typescript/no-deprecated -- the only way to copy without TLS
  return document.execCommand("copy");
}
