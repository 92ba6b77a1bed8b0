import { expect } from "vitest";
import type { Page } from "../support/person.ts";

/** Nobody was signed in: no code anywhere. */
export function expectNoCode(page: Page): void {
  expect(page.headers.get("location") ?? "").not.toMatch(/[?&]code=/u);
  expect(page.text).not.toMatch(/[?&]code=/u);
}
