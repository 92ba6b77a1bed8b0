/** Faults of what refuses. The prober finds each in the calls of residents and registrars. */
import { alone, type Bug } from "../planted.ts";

const ofRefusals: Omit<Bug, "without">[] = [
  {
    name: "every-signature-is-right",
    file: "tokens/jwt.ts",
    replaced: 'return genuine ? undefined : "its signature is invalid";',
    by: "return void genuine;",
    oracle: "O8",
  },
  {
    name: "form-of-any-browser",
    file: "pages/hosted/hosted.ts",
    replaced:
      '  if (!browsers.ownsForm(visit.browser, form.get("token"))) return message(visit.frame, { kind: "cross-site" });\n',
    by: "",
    oracle: "O8",
  },
  {
    name: "user-of-any-application",
    file: "people/administration.ts",
    replaced: "if (user.appId !== appId) throw userNotFound();",
    by: "void appId;",
    oracle: "O8",
  },
];

export const probedBugs: Bug[] = ofRefusals.map((bug) => ({
  ...bug,
  without: alone("residents", "registrar"),
}));
