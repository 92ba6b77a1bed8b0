import { describe, expect, it } from "vitest";
import { html, render } from "../../src/lib/html.ts";

describe("html", () => {
  it("escapes what could end text or a quoted attribute", () => {
    const value = `<script>alert("1")</script> & 'x' \`y\``;
    expect(render(html`<p title="${value}">${value}</p>`)).toBe(
      `<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; &#96;y&#96;">` +
        `&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; &#96;y&#96;</p>`,
    );
  });

  it("escapes what is escaped already, so that a person sees what was typed", () => {
    expect(render(html`${"&lt;b&gt;"}`)).toBe("&amp;lt;b&amp;gt;");
  });

  it("lets its own markup through and joins lists", () => {
    const items = ["a", "<b>"].map((item) => html`<li>${item}</li>`);
    expect(render(html`<p>${items}</p>`)).toBe("<p><li>a</li><li>&lt;b&gt;</li></p>");
  });

  it("leaves nothing for false, null and undefined, and keeps 0", () => {
    expect(render(html`[${false}${null}${undefined}${0}${""}]`)).toBe("[0]");
  });

  it("keeps every script of the world as it is and replaces NUL", () => {
    expect(render(html`${"مرحبا 日本語 👩🏽‍🚀 \u2028 e\u0301"}`)).toBe("مرحبا 日本語 👩🏽‍🚀 \u2028 e\u0301");
    expect(render(html`${"a\0b"}`)).toBe("a\u{FFFD}b");
  });

  it("refuses an object that only looks like markup", () => {
    const forged = { toString: () => "<script>" };
    // @ts-expect-error what the types refuse must not get through at runtime either
    expect(() => render(html`${forged}`)).toThrow(TypeError);
  });
});
