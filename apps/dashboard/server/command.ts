import { parseOptions } from './options.js';

// The command of the package. It reports a wrong argument, or prints its first line, before it
// loads the rest, which takes most of a second.
parseOptions(process.argv);
console.log('The dashboard is starting.');
await import('./main.js');
