import { chooseScanner } from '../../src/sources/wire/choose-scanner.js';
import { loadListSplitter } from '../../src/sources/wire/list-reader.js';

// A program loads the scanner in WebAssembly and the splitter of lists late. Tests have them from
// the beginning, so that they are the same each time, and none of them ends while they load.
await chooseScanner('fastest');
await loadListSplitter();
