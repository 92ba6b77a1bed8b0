import { messageAnswer } from "./parts/message.ts";
import { act } from "./route.ts";

export const signOut = act("/sign-out", "viewer", "nothing", async (ctx, visit) => {
  await visit.entry.end(ctx, visit.request);
  return messageAnswer(ctx, {
    title: "You are signed out",
    text: visit.entry.isTeam ? "This browser no longer opens the console." : "To open the console again:",
    ...(visit.entry.isTeam ? { back: { path: "/console", label: "Sign in" } } : { command: "authsvc console" }),
  });
});
