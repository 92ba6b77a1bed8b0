import { auth } from "./auth.js";

export const { init, handle } = auth;
