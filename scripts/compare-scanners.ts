import { parseArgs } from 'node:util';
import { createWasmEngine } from '../src/sources/wire/wasm-scanner.js';
import { createComparison } from '../test/sources/wire/compare-scanners.js';

/*
 * Compares the scanner in WebAssembly with JSON.parse, which reads the texts where WebAssembly is
 * missing, on as many texts as `--cases` says. Prints the seed of the first difference. With
 * `--seed`, the script repeats that run.
 */
const { values } = parseArgs({ options: { cases: { type: 'string', default: '1000000' }, seed: { type: 'string' } } });
const cases = Number(values.cases);
const casesInRun = 1_000;
const firstSeed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const compare = createComparison(createWasmEngine());

for (let compared = 0, seed = firstSeed; compared < cases; compared += casesInRun, seed++) {
  try {
    compare(seed, Math.min(casesInRun, cases - compared));
  } catch (error) {
    console.error(`npm run task -- scanners:compare --seed ${seed}`);
    throw error;
  }
}
console.log(`${cases} texts compared, from seed ${firstSeed}: no difference`);
