import { z } from "zod";
import { flag, text } from "./fields.ts";
import { named } from "./operation.ts";

/** The time in examples. */
export const at = "2026-11-20T10:00:00.000Z";

export const done = named(
  "Done",
  () =>
    z
      .strictObject({
        success: flag("Always true: a failure returns an error."),
        message: text("A message for people."),
      })
      .describe("The call succeeded."),
  { success: true, message: "Signed out." },
);
