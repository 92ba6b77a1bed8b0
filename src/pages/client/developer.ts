// The browser code of the other pages of development mode.
import { offerCopies } from "./console/copy.ts";

offerCopies(document);
