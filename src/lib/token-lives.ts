import { hour, second } from "./clock.ts";

/**
 * The longest life of a minted token. Signing keys stay published that long after their last token.
 */
export const longestTokenSeconds = (24 * hour) / second;

/** The life of an access token for an application itself. Those for a resource have their own. */
export const accessTokenSeconds = 900;
