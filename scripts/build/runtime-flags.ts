/**
 * With which flags the executable's Node starts. The young generation gets half of what V8 allows it by itself: under load the process takes 20 to 30 MB
 * less, and is no slower (docs/decisions/0026). V8 reads this one at its start only, too early for `setFlagsFromString`.
 */
export const runtimeFlags = ["--max-semi-space-size=16"];
