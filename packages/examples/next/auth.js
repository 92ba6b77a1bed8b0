import { createAuth } from "@authsvc/sdk/next";

export const auth = createAuth();
