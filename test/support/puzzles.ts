import { createHash } from "node:crypto";
import type { Page, Visitor } from "./person.ts";

/** Whether the page is the one with the puzzle. */
export function hasPuzzle({ status, text }: Page): boolean {
  return status === 200 && text.includes("data-puzzle");
}

/** Solves a challenge of ALTCHA (version 2) without its library or our script. */
export function solve(challenge: string): string {
  const { parameters } = JSON.parse(challenge) as { parameters: { nonce: string; salt: string; keyPrefix: string } };
  const message = Buffer.concat([Buffer.from(parameters.salt + parameters.nonce, "hex"), Buffer.alloc(4)]);
  for (let counter = 0; ; counter += 1) {
    message.writeUInt32BE(counter, message.length - 4);
    const derivedKey = createHash("sha256").update(message).digest("hex");
    if (derivedKey.startsWith(parameters.keyPrefix)) return JSON.stringify({ counter, derivedKey });
  }
}

/** Sends the page's form, solved, as its script does. */
export async function sendSolved(visitor: Visitor, page: Page, changed: Record<string, string> = {}): Promise<Page> {
  const solution = solve(page.form("/password").fields["challenge"] ?? "");
  return await visitor.submit(page, "/password", { solution, ...changed });
}
