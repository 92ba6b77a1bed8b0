const everyMilliseconds = 5000;

/**
 * Replaces the elements with `data-live` by the current ones of the same page, every few seconds if
 * it is live. Returns the function that does it once, and throws if it cannot.
 */
export function keepFresh(onRenewed: (element: ParentNode) => void): () => Promise<void> {
  let isFilled = false;
  document.addEventListener("input", ({ target }) => {
    if (target instanceof Element && target.closest('form[method="post"]')) isFilled = true;
  });
  // The pages allow markup from the console itself only (Trusted Types).
  const policy = (window as TrustedWindow).trustedTypes?.createPolicy("console", { createHTML: (text) => text });

  async function renew(): Promise<void> {
    const response = await fetch(location.href, { headers: { accept: "text/html", "x-console-live": "yes" } });
    if (response.status === 401) {
      // The session is over: show the sign-in, not the last data. A form that somebody fills in
      // stays: it comes back when it is sent.
      if (!isFilled) location.reload();
      return;
    }
    if (!response.ok || response.redirected) throw new Error("not this page");
    const text = await response.text();
    const markup = (policy?.createHTML(text) ?? text) as string;
    const fresh = new DOMParser().parseFromString(markup, "text/html");
    for (const element of document.querySelectorAll("[data-live]")) {
      const renewed = fresh.querySelector(`[data-live="${element.getAttribute("data-live")}"]`);
      if (!renewed || renewed.innerHTML === element.innerHTML) continue;
      element.replaceWith(renewed);
      onRenewed(renewed);
    }
  }

  if ("livePage" in document.body.dataset)
    setInterval(() => {
      if (!document.hidden && !isInUse()) void renew().catch(() => {});
    }, everyMilliseconds);
  return renew;
}

/** Nothing moves while somebody reads or types in the element. */
function isInUse(): boolean {
  return document.activeElement?.closest("[data-live]") !== null || !getSelection()?.isCollapsed;
}

type TrustedWindow = Window & {
  trustedTypes?: {
    createPolicy(name: string, rules: { createHTML(text: string): string }): { createHTML(text: string): unknown };
  };
};
