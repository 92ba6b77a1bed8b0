import { auth } from "../auth";

export default async function Page() {
  const user = await auth.getUser();
  if (!user) return <a href="/sign-in">Sign in</a>;
  return (
    <>
      <p>Hello {user.email}</p>
      <form method="post" action="/sign-out">
        <button>Sign out</button>
      </form>
    </>
  );
}
