import { z } from "zod";

// Fields of answers. Answers are strict: a test compares real ones with their schemas, and fails
// for an undocumented field.

export const text = (about: string) => z.string().describe(about);
export const number = (about: string) => z.int().nonnegative().describe(about);
export const flag = (about: string) => z.boolean().describe(about);
export const address = (about: string) => z.url().describe(about);
export const instant = (about: string) => z.iso.datetime().describe(`${about} ISO 8601, UTC.`);
export const metadataPart = (about: string) => z.record(z.string(), z.unknown()).describe(about);
export const profileValues = (about: string) =>
  z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).describe(about);
