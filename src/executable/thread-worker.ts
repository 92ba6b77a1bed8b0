// The first file of a thread in the executable, which loads the chunks of the program.
import { createChunkLoader } from "./chunks.ts";
import { filesOfExecutable } from "./files.ts";

createChunkLoader(filesOfExecutable()).load(`${process.argv.at(-1)}.js`);
