import { openStorage } from "../../src/storage/open.ts";

/** A process that opens each database that it is told of, and answers with the error, or "". */
process.on("message", (file: string) => {
  void openStorage({ url: undefined, poolSize: 1, file }, Date.now(), () => {})
    .then(async (storage) => await storage.close())
    .then(
      () => "",
      (error: unknown) => String(error),
    )
    .then((said) => process.send?.(said));
});
process.send?.("ready");
