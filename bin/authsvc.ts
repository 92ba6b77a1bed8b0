#!/usr/bin/env node
import { run } from "../src/cli/run.ts";

process.exitCode = await run(process.argv, process);
