// The browser code of the other pages of development mode.
import { offerCopies } from "../../pages/client/console/copy.ts";

offerCopies(document);
