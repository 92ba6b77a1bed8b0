import { describe, expect, it } from "vitest";
import { programFiles } from "../../src/lib/program-files.ts";
import { compactCss, loadAssets, readCss, readScript } from "../../src/pages/assets/assets.ts";

const assets = loadAssets();

describe("assets", () => {
  it("stay small: a page loads less than 8 KB of style, an app's colour with it, and a script under 12 KB", () => {
    const {
      stylesheet,
      accountStylesheet,
      organizationStylesheet,
      stepsStylesheet,
      docsStylesheet,
      hostedScript,
      accent,
    } = assets.links;
    const sizeOf = (link = "") => assets.findAsset(link.replace(/\?.*$/u, ""))?.body.length ?? Infinity;
    for (const link of [stylesheet, accountStylesheet, organizationStylesheet, stepsStylesheet, docsStylesheet])
      expect(sizeOf(link) + sizeOf(accent("#635bff"))).toBeLessThan(8 * 1024);
    expect(sizeOf(hostedScript)).toBeLessThan(12 * 1024);
  });

  it("stay small on the console: a stylesheet under 20 KB and a script under 14 kB", () => {
    expect(readCss(programFiles, "console.css").length).toBeLessThan(20 * 1024);
    expect(readScript(programFiles, "console.js").length).toBeLessThan(14_000);
  });

  it("have a digest in the name and the right type", () => {
    const { stylesheet, hostedScript, icon } = assets.links;
    expect(stylesheet).toMatch(/^\/assets\/pages\.[\w-]{16}\.css$/);
    expect(hostedScript).toMatch(/^\/assets\/hosted\.[\w-]{16}\.js$/);
    expect(icon).toMatch(/^\/assets\/icon\.[\w-]{16}\.svg$/);
    expect(assets.findAsset(stylesheet)?.type).toBe("text/css; charset=utf-8");
    expect(assets.findAsset(hostedScript)?.type).toBe("text/javascript; charset=utf-8");
    expect(assets.findAsset(icon)?.type).toBe("image/svg+xml");
  });

  it("load nothing from anywhere else", () => {
    for (const link of [assets.links.stylesheet, assets.links.icon]) {
      expect(String(assets.findAsset(link)?.body)).not.toMatch(/url\(|@import|<script|href/);
    }
  });

  it("make an accent stylesheet from the colour in its address, and only from a colour", () => {
    const link = assets.links.accent("#635BFF");
    expect(link).toMatch(/^\/assets\/accent\.635bff\.css\?v=[\w-]{16}$/);
    expect(assets.findAsset("/assets/accent.635bff.css")).toMatchObject({ type: "text/css; charset=utf-8" });
    expect(assets.links.accent("#fff")).toContain("/assets/accent.ffffff.css");
    for (const colour of [null, "", "red", "#12345", "#fff}body{}"])
      expect(assets.links.accent(colour)).toBeUndefined();
    for (const name of [
      "accent.635BFF.css",
      "accent.fff.css",
      "accent.gggggg.css",
      "accent.635bff.css.css",
      "accent..css",
    ]) {
      expect(assets.findAsset(`/assets/${name}`)).toBeUndefined();
    }
  });

  it("are found under their own addresses only", () => {
    const strays = [
      "/assets/styles.css",
      "/assets/",
      "/assets/../assets.ts",
      "/assets/pages.AAAAAAAAAAAAAAAA.css",
      "__proto__",
    ];
    for (const stray of strays) expect(assets.findAsset(stray)).toBeUndefined();
  });

  it("say which command fixes a missing script", () => {
    const missing = new Set(["src/pages/built/hosted.js", "src/pages/built/demo.js"]);
    const program = {
      ...programFiles,
      read: (file: string) => {
        if (missing.has(file)) throw new Error("ENOENT");
        return programFiles.read(file);
      },
    };
    expect(() => loadAssets({ program })).toThrow("npm run build:pages");
    missing.delete("src/pages/built/hosted.js");
    expect(loadAssets({ program }).links.demoScript).toBeUndefined();
    expect(() => loadAssets({ program, demo: true })).toThrow("demo.js");
  });
});

describe("compactCss", () => {
  it("drops comments and the spaces that mean nothing", () => {
    const source =
      "/* why */\na > b,\n.c:not([d]) ~ e {\n  margin: 0 0.5rem;\n  inset: calc(1rem + 10.5px);\n}\n@media (min-width: 3rem) {\n  a { b: c; }\n}\n";
    expect(compactCss(source)).toBe(
      "a>b,.c:not([d])~e{margin:0 .5rem;inset:calc(1rem + 10.5px)}@media (min-width:3rem){a{b:c}}",
    );
  });
});
