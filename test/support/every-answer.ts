import { checkEveryAnswer } from "./checked-answers.ts";

// Before every test file. The module that it imports stays the same in a worker, and begins once.
checkEveryAnswer();
