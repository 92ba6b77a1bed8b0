/** Typed shorthands for document queries. */
export function all<E extends HTMLElement>(selector: string): NodeListOf<E> {
  return document.querySelectorAll<E>(selector);
}

export function first<E extends HTMLElement>(selector: string): E | null {
  return document.querySelector<E>(selector);
}

/** The submit button of a form, which may be outside of it. */
export function buttonOf(form: HTMLFormElement): HTMLButtonElement | undefined {
  return [...form.elements].find((element): element is HTMLButtonElement => element.matches("[data-busy]"));
}

/** Not `form[name]`: the form's own properties would hide fields called "name" or "action". */
export function fieldOf(form: HTMLFormElement, name: string): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement;
}
