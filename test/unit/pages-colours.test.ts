import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { accentFor, accentStylesheet, contrastOf, grounds, parseColour } from "../../src/look/colours.ts";

const schemes = ["light", "dark"] as const;
const stylesheet = readFileSync(path.join(import.meta.dirname, "../../src/pages/assets/styles.css"), "utf8");

describe("an app's colour", () => {
  it("is #rgb or #rrggbb and nothing else", () => {
    expect(parseColour("#0A2540")).toBe("#0a2540");
    expect(parseColour("#fA0")).toBe("#ffaa00");
    const refused = [
      "red",
      "#12345",
      "#1234567",
      "635bff",
      "#ggg",
      "#fff;}",
      "#fff\n",
      " #fff",
      "",
      "url(x)",
      null,
      undefined,
    ];
    for (const text of refused) expect(parseColour(text)).toBeUndefined();
  });

  it("can be read and told apart from its ground, whatever it is", () => {
    for (const colour of manyColours()) {
      for (const scheme of schemes) {
        const { accent, accentEdge, accentHover, onAccent, accentText } = accentFor(colour, scheme);
        const label = `${colour} in ${scheme}`;
        expect(contrastOf(accent, onAccent), `text on ${label}`).toBeGreaterThanOrEqual(4.5);
        expect(contrastOf(accentHover, onAccent), `text on the hovered ${label}`).toBeGreaterThanOrEqual(4.5);
        for (const ground of grounds[scheme]) {
          expect(contrastOf(accentEdge, ground), `rim of a button of ${label}`).toBeGreaterThanOrEqual(3);
          expect(contrastOf(accentText, ground), `link of ${label}`).toBeGreaterThanOrEqual(4.5);
        }
      }
    }
  });

  it("stays exactly as chosen: a light one gets dark text and a darker rim, and only links are darkened", () => {
    expect(accentFor("#635bff", "light")).toMatchObject({
      accent: "#635bff",
      accentEdge: "#635bff",
      onAccent: "#ffffff",
    });
    const yellow = accentFor("#ffd400", "light");
    expect(yellow).toMatchObject({ accent: "#ffd400", onAccent: "#000000" });
    expect([yellow.accentEdge, yellow.accentText]).not.toContain("#ffd400");
    expect(accentFor("#ffe600", "dark")).toMatchObject({ accent: "#ffe600", onAccent: "#000000" });
  });

  it("turns black into white on a dark ground and white into black on a light one", () => {
    expect(accentFor("#000000", "dark").accent).toBe("#ffffff");
    expect(accentFor("#ffffff", "light").accent).toBe("#000000");
  });

  it("becomes a stylesheet of nothing but custom properties", () => {
    expect(accentStylesheet("#635bff")).toMatch(
      /^:root\{(--[a-z-]+:#[0-9a-f]{6};?){5}\}@media\(prefers-color-scheme:dark\)\{:root\{(--[a-z-]+:#[0-9a-f]{6};?){5}\}\}$/,
    );
  });
});

describe("the pages' own colours", () => {
  it("have the grounds that accents are corrected for", () => {
    for (const scheme of schemes) {
      const colour = colourIn(scheme);
      expect([colour("card"), colour("ground")]).toEqual(grounds[scheme]);
    }
  });

  it("are readable in light and dark", () => {
    for (const scheme of schemes) {
      const colour = colourIn(scheme);
      const atLeast = (bar: number, front: string, back: string) =>
        expect(contrastOf(colour(front), colour(back)), `${front} on ${back} in ${scheme}`).toBeGreaterThanOrEqual(bar);
      for (const back of ["card", "ground"]) {
        for (const front of ["ink", "quiet", "bad", "accent-text"]) atLeast(4.5, front, back);
        for (const front of ["edge", "accent", "accent-edge"]) atLeast(3, front, back);
      }
      atLeast(4.5, "bad", "bad-ground");
      atLeast(4.5, "good", "good-ground");
      atLeast(4.5, "on-accent", "accent");
      atLeast(4.5, "on-accent", "accent-hover");
    }
  });
});

/** Every hue in five strengths and nine lightnesses, and the greys. */
function manyColours(): string[] {
  const colours: string[] = [];
  for (let hue = 0; hue < 360; hue += 12) {
    for (const saturation of [0, 25, 50, 75, 100]) {
      for (let lightness = 0; lightness <= 100; lightness += 12.5)
        colours.push(hexOf(hue, saturation / 100, lightness / 100));
    }
  }
  return [...new Set(colours)];
}

function hexOf(hue: number, saturation: number, lightness: number): string {
  const strength = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): string => {
    const place = (offset + hue / 30) % 12;
    const value = lightness - strength * Math.max(-1, Math.min(place - 3, 9 - place, 1));
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

/** Reads the custom properties of the first :root, or of the one under the dark scheme. */
function colourIn(scheme: "light" | "dark"): (name: string) => string {
  const block = stylesheet.split(":root {")[scheme === "light" ? 1 : 2]?.split("}")[0] ?? "";
  return (name) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(block)?.[1] ?? `no --${name} in ${scheme}`;
}
