/** Enter that ends a composition (Japanese, Chinese) does nothing else, like sending a form. */
export function leaveCompositions(): void {
  document.addEventListener("keydown", (event) => {
    // Safari ends the composition before the key. Only its code still says so.
    // oxlint-disable-next-line typescript/no-deprecated -- there is nothing else to tell it by
    if (event.key === "Enter" && (event.isComposing || event.keyCode === 229)) event.preventDefault();
  });
}
