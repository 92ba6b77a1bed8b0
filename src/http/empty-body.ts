import { z } from "zod";

/** The body of a call that needs none: empty, or an object without fields. */
export const emptyBody = z.strictObject({});
