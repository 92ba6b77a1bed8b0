import { auth } from "../../auth.js";

export async function GET(event) {
  const user = await auth.requireUser(event);
  return user instanceof Response ? user : Response.json(user);
}
