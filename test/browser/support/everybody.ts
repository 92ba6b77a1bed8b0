import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { inPage } from "./steps.ts";

/** Narrower than any phone, and what 200 % and 400 % zoom leave of wider screens (WCAG 1.4.10). */
export const narrow = { width: 320, height: 640 };

/** What axe finds, by all of its rules or only by these. */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  // Our pages hold no frames; looking for them takes as long as everything else.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const found = await (rules ? axe.withRules(rules) : axe).analyze();
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
}

export async function sidewaysPixels(page: Page): Promise<number> {
  return await inPage<number>(page, "() => document.documentElement.scrollWidth - innerWidth");
}
