#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { typesCommand } from './types-command.js';

// Parsing YAML creates many short-lived objects. With more space for them, the garbage collector
// needs a third of the time.
setFlagsFromString('--max-semi-space-size=64');

void typesCommand(process.argv.slice(2), console).then((exitCode) => (process.exitCode = exitCode));
