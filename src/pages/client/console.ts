// The console's script. Every page works without it; with it, live pages renew themselves,
// commands can be copied, and times say how long ago they were.
import { keepFresh } from "./console/live.ts";
import { offerCopies } from "./console/copy.ts";
import { openMenu } from "./console/menu.ts";
import { tellAges } from "./console/ages.ts";
import { sendOnce } from "./console/send-once.ts";
import { renewPreview } from "./console/preview.ts";

openMenu();
tellAges(document);
offerCopies(document);
sendOnce(document);
renewPreview();
keepFresh((renewed) => {
  tellAges(renewed);
  offerCopies(renewed);
  sendOnce(renewed);
});
