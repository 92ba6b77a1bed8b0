import { auth } from "./auth";

export const proxy = auth.proxy;
export const config = { matcher: ["/((?!_next/).*)"] };
