import { chooseScanner } from '../../src/sources/wire/choose-scanner.js';

// A program loads the scanner in WebAssembly late. Tests have it from the beginning, so that they
// are the same each time, and none of them ends while it loads.
await chooseScanner('fastest');
