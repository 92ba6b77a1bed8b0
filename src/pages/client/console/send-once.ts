/** Sends each form once: a second press or Enter does nothing. */
export function sendOnce(within: ParentNode): void {
  for (const form of within.querySelectorAll<HTMLFormElement>('form[method="post"]:not([data-download])')) {
    let isSent = false;
    form.addEventListener("submit", (event) => {
      if (isSent) event.preventDefault();
      isSent = true;
      form.querySelector("button")?.setAttribute("aria-disabled", "true");
    });
    // A page from the back-forward cache may send again.
    addEventListener("pageshow", () => (isSent = false));
  }
}
