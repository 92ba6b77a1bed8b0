import { describe, expect, it } from "vitest";
import { render } from "../../src/lib/html.ts";
import { messagePage } from "../../src/pages/message-page.ts";
import { logoUrl, safeHref, serviceLook } from "../../src/pages/parts/frame.ts";
import { frame } from "./account-pages.ts";

describe("addresses from outside", () => {
  it("become a link only when they cannot run anything", () => {
    for (const bad of [
      "javascript:alert(1)",
      " JavaScript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
      "/x",
      "",
      undefined,
    ]) {
      expect(safeHref(bad)).toBeUndefined();
      expect(render(messagePage({ ...frame("Acme"), backUrl: bad }, { kind: "finished" }))).not.toContain(
        '<a class="button',
      );
    }
    expect(safeHref("https://acme.example/a?b=c")).toBe("https://acme.example/a?b=c");
    expect(safeHref("com.example.app:/cb")).toBe("com.example.app:/cb");
  });

  it("become a logo only over https, or http on this machine", () => {
    const shown = (logo: string) => logoUrl({ ...serviceLook, logo })?.href;
    expect(shown("https://cdn.example/a.svg")).toBe("https://cdn.example/a.svg");
    expect(shown("http://localhost:3000/a.svg")).toBe("http://localhost:3000/a.svg");
    for (const bad of [
      "http://cdn.example/a.svg",
      "data:image/svg+xml,x",
      "javascript:1",
      "//cdn.example/a.svg",
      "a.svg",
    ]) {
      expect(shown(bad)).toBeUndefined();
    }
    const page = render(messagePage(frame("Acme", `https://cdn.example/"><script>`), { kind: "busy" }));
    expect(page).toContain('<img src="https://cdn.example/%22%3E%3Cscript%3E" alt="Acme" />');
  });
});
