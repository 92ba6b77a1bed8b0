import { z } from "zod";

/** The body of a call whose path says everything: none, or an object without fields. */
export const emptyBody = z.strictObject({});
