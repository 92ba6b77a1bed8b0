import { createAuth } from "@authsvc/sdk/sveltekit";

export const auth = createAuth();
