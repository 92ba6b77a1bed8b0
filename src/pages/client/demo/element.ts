export type Child = Node | string | undefined;

/** An element with attributes and children. Strings become text nodes. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function part(within: ParentNode, name: string): HTMLElement | null {
  return within.querySelector(`[data-part="${name}"]`);
}

/** The control for `act`. */
export function control(act: string): HTMLElement | null {
  return document.querySelector(`[data-act="${act}"]`);
}

/** Announces to screen readers what others see at a glance. */
export function speak(words: string): void {
  const region = part(document, "spoken");
  if (region) region.textContent = words;
}
