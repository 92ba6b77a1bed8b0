/** Enter that ends a composition (Japanese, Chinese) does nothing else, like sending a form. */
export function leaveCompositions(): void {
  document.addEventListener("keydown", (event) => {
    // Safari ends the composition before the key, whose code it then is.
    if (event.key === "Enter" && (event.isComposing || event.keyCode === 229)) event.preventDefault();
  });
}
