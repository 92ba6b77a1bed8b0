import { becomeNextVersion } from "./next-version.ts";

becomeNextVersion();
