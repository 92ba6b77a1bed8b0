import { auth } from "../../auth";

export default async function Me() {
  return <pre>{JSON.stringify(await auth.requireUser("/me"))}</pre>;
}
