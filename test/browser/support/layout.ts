import type { Page } from "playwright-core";
import { inPage } from "./steps.ts";

/**
 * What is wrong with how a page looks: a text outside of the window, cut, over another text, or in
 * a column of letters. Cells end with "…" on purpose, if enough is seen; what is quiet goes first.
 */
export async function layoutFaults(page: Page, within = "body"): Promise<string[]> {
  return await inPage<string[]>(page, `() => (${findFaults.toString()})(${JSON.stringify(within)})`);
}

/** Runs in the page. */
function findFaults(within: string): string[] {
  type Box = { left: number; right: number; top: number; bottom: number };
  type Shape = {
    getBoundingClientRect(): Box;
    closest(selector: string): Shape | null;
    parentElement: Shape | null;
  } & {
    clientWidth: number;
    scrollWidth: number;
    checkVisibility(options: object): boolean;
    contains(other: unknown): boolean;
  };
  type TextNode = { textContent: string; parentElement: Shape };
  const browser = globalThis as unknown as {
    innerWidth: number;
    document: {
      documentElement: Shape;
      querySelector(selector: string): Shape;
      createTreeWalker(root: Shape, what: number): { nextNode(): TextNode | null };
      createRange(): { selectNodeContents(node: TextNode): void; getClientRects(): ArrayLike<Box> };
    };
    getComputedStyle(element: Shape): { overflowX: string; fontSize: string; writingMode: string; position: string };
  };
  const { document, innerWidth, getComputedStyle } = browser;
  const leastSeen = 64;
  const faults: string[] = [];
  const sideways = document.documentElement.scrollWidth - innerWidth;
  if (within === "body" && sideways > 0) faults.push(`scrolls sideways by ${sideways} px`);
  const walker = document.createTreeWalker(document.querySelector(within), 4);
  const drawn: { text: string; node: TextNode; box: Box }[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent.trim();
    const element = node.parentElement;
    const isShown = element.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true });
    if (text === "" || !isShown || element.closest(".unseen, .skip, select, textarea, title")) continue;
    if (Number.parseFloat(getComputedStyle(element).fontSize) === 0) continue;
    // A dialog lies over the page.
    if (within === "body" && element.closest(".dialog")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...(range.getClientRects() as unknown as Iterable<Box>)].filter(({ left, right }) => right > left);
    const name = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    const scrolls = element.closest(".scroll, .bars");
    let clip: Shape | null = element;
    while (clip && !["clip", "hidden"].includes(getComputedStyle(clip).overflowX)) clip = clip.parentElement;
    const frame = clip?.getBoundingClientRect();
    for (const box of boxes) {
      const seen = frame
        ? { ...box, left: Math.max(box.left, frame.left), right: Math.min(box.right, frame.right) }
        : box;
      if (seen.right <= seen.left && frame) {
        if (!element.closest(".cell .quiet")) faults.push(`hidden by what is around it: ${name}`);
        continue;
      }
      if (!scrolls && (seen.left < -1 || seen.right > innerWidth + 1)) faults.push(`outside of the window: ${name}`);
      if (!scrolls) drawn.push({ text: name, node, box: seen });
    }
    if (clip && clip.scrollWidth > clip.clientWidth + 1) {
      const isCell = clip.closest(".cell") !== null;
      if (!isCell) faults.push(`cut: ${name}`);
      else if (clip.clientWidth < leastSeen) faults.push(`cut to ${clip.clientWidth} px: ${name}`);
    }
    const lines = new Set(boxes.map(({ top }) => Math.round(top))).size;
    if (lines >= 3 && text.length / lines < 5) faults.push(`a column of letters: ${name}`);
  }
  drawn.sort((a, b) => a.box.top - b.box.top);
  for (const [index, one] of drawn.entries())
    for (const other of drawn.slice(index + 1)) {
      if (other.box.top > one.box.bottom) break;
      if (other.node === one.node) continue;
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const tall = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (wide > 2 && tall > 4) faults.push(`over each other: ${one.text} | ${other.text}`);
    }
  return [...new Set(faults)];
}
