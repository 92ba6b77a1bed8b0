import { hour, second } from "./clock.ts";

/**
 * The longest life of a minted token. Signing keys stay published that long after their last token.
 */
export const longestTokenSeconds = (24 * hour) / second;
