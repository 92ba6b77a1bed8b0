/** Shows the picker beside each field of a colour; both say the same. */
export function offerColours(): void {
  for (const picker of document.querySelectorAll<HTMLInputElement>("[data-colour]")) {
    const text = picker.previousElementSibling as HTMLInputElement;
    picker.hidden = false;
    picker.addEventListener("input", () => {
      text.value = picker.value;
      text.dispatchEvent(new Event("input", { bubbles: true }));
    });
    text.addEventListener("input", () => {
      if (/^#[\da-f]{6}$/iu.test(text.value)) picker.value = text.value;
    });
  }
}
