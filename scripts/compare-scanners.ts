import { parseArgs } from 'node:util';
import { createWasmEngine } from '../src/sources/wire/wasm-scanner.js';
import { createComparison } from '../test/sources/wire/compare-scanners.js';
import { seed, seedOf } from '../test/support/seed.js';

/*
 * Compares the scanner in WebAssembly with JSON.parse, which reads the texts where WebAssembly is
 * missing, on as many texts as `--cases` says. `SEED` chooses other texts. Prints the command that
 * repeats the first difference.
 */
const { values } = parseArgs({ options: { cases: { type: 'string', default: '1000000' } } });
const cases = Number(values.cases);
const casesInRun = 1_000;
const compare = createComparison(createWasmEngine());

for (let compared = 0; compared < cases; compared += casesInRun) {
  try {
    compare(seedOf(`scanners:compare ${compared}`), Math.min(casesInRun, cases - compared));
  } catch (error) {
    console.error(`SEED=${seed} npm run task -- scanners:compare --cases ${compared + casesInRun}`);
    throw error;
  }
}
console.log(`${cases} texts compared, with SEED=${seed}: no difference`);
