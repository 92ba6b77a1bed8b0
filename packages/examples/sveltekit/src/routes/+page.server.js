import { auth } from "../auth.js";

export async function load(event) {
  const user = await auth.getUser(event);
  return { email: user?.email };
}
