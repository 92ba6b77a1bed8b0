// The console's script. Every page works without it; with it, live pages renew themselves,
// commands can be copied, and times say how long ago they were.
import { keepFresh } from "./console/live.ts";
import { offerToChooseAll } from "./console/choose.ts";
import { offerCopies } from "./console/copy.ts";
import { openMenu } from "./console/menu.ts";
import { keepZone, takeHours, tellAges, tellHours, tellZone } from "./console/ages.ts";
import { openDialogs } from "./console/dialogs.ts";
import { offerColours } from "./console/colours.ts";
import { applyFilters } from "./console/filters.ts";
import { openRows, tellCutTexts } from "./console/rows.ts";
import { sendOnce } from "./console/send-once.ts";
import { renewPreview } from "./console/preview.ts";

openMenu();
tellAges(document);
keepZone(document);
tellHours(document);
takeHours();
offerCopies(document);
sendOnce(document);
renewPreview();
offerColours();
tellZone();
openDialogs();
applyFilters();
offerToChooseAll();
tellCutTexts();
const renew = keepFresh((renewed) => {
  tellAges(renewed);
  keepZone(renewed);
  tellHours(renewed);
  offerCopies(renewed);
  sendOnce(renewed);
});
openRows(renew);
