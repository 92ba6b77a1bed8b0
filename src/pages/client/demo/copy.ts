import { element, speak } from "./element.ts";

const shownMilliseconds = 2000;

/** A button that copies `text`. If the browser refuses, it selects the text in `shown` instead. */
export function copyButton(text: string, shown: HTMLElement, what: string): HTMLButtonElement {
  const label = element("span", {}, "Copy");
  const button = element(
    "button",
    { type: "button", class: "copy" },
    label,
    element("span", { class: "spoken" }, ` ${what}`),
  );
  button.addEventListener("click", () => void copy(text, shown, label));
  return button;
}

async function copy(text: string, shown: HTMLElement, label: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    label.textContent = "Copied";
    speak("Copied");
  } catch {
    getSelection()?.selectAllChildren(shown);
    label.textContent = "Selected";
    speak("Selected; copy it with your keyboard");
  }
  setTimeout(() => (label.textContent = "Copy"), shownMilliseconds);
}
