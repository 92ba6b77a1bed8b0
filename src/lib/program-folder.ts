import { join } from "node:path";

/** Holds the files that come with the program: this project, or the copy of parts of it inside of the executable (scripts/build/bundle.ts). */
export const programFolder = join(import.meta.dirname, "../..");
