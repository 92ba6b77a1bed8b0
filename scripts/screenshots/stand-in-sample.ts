import { failuresOf } from "../../src/dev/providers/failures.ts";
import { preparedPeople } from "../../src/dev/providers/people.ts";
import { standIns } from "../../src/dev/providers/stand-ins.ts";
import { standInPage } from "../../src/dev/providers/stand-in-page.ts";
import { all, frameOf, type Sample } from "./sample.ts";

/** The page behind "Continue with Google" in development mode. */
export const standInSample: Sample = {
  name: "stand-in",
  variants: all,
  page: (assets) => {
    const [google] = standIns;
    if (!google) throw new Error("there is no stand-in");
    const { displayName, colour, clientId, saysVerified } = google;
    const look = { name: `${displayName} (stand-in)`, companyName: null, logo: null, primaryColor: colour };
    return standInPage(frameOf(assets, { look, host: "127.0.0.1:8080" }), {
      displayName,
      people: [...preparedPeople].map(([id, person]) => ({ id, ...person })),
      saysVerified,
      scopes: ["openid", "email", "profile"],
      clientId,
      redirectUri: "http://localhost:8080/oauth/google/callback",
      failures: failuresOf(google),
    });
  },
};
