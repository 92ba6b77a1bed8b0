/** Typed shorthands over the document. */
export function all<E extends HTMLElement>(selector: string): NodeListOf<E> {
  return document.querySelectorAll<E>(selector);
}

export function first<E extends HTMLElement>(selector: string): E | null {
  return document.querySelector<E>(selector);
}

/** The submit button of a form, also where it stands outside and names the form. */
export function buttonOf(form: HTMLFormElement): HTMLButtonElement | undefined {
  return [...form.elements].find((element): element is HTMLButtonElement => element.matches("[data-busy]"));
}

/** Not `form[name]`: a field called "name" or "action" would be shadowed by the form's own property. */
export function fieldOf(form: HTMLFormElement, name: string): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement;
}
