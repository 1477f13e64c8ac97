import { createParsingScanner } from './parsing-scanner.js';
import type { ScannerOptions, TextScanner } from './scanner.js';
import { createWasmEngine, createWasmScanner, type WasmEngine } from './wasm-scanner.js';

/**
 * The scanner that reads responses: in WebAssembly, none (each text is parsed whole), or (`fastest`)
 * in WebAssembly if it runs and none otherwise.
 */
export type ScannerChoice = 'wasm' | 'none' | 'fastest';

let choice: ScannerChoice = 'fastest';
let engine: WasmEngine | undefined;
let problem: unknown;

/**
 * Chooses the scanner for all later responses. Only tests, benchmarks and the soak test call it;
 * programs use the fastest scanner that runs.
 */
export function chooseScanner(chosen: ScannerChoice): void {
  choice = chosen;
}

/**
 * Creates a scanner for the texts of one response.
 *
 * The first call compiles the WebAssembly module. If this fails, texts are parsed
 * whole.
 */
export function createTextScanner(options: ScannerOptions): TextScanner {
  if (choice !== 'none' && engine === undefined && problem === undefined) {
    try {
      engine = createWasmEngine();
    } catch (error) {
      problem = error;
    }
  }
  if (choice === 'none') return createParsingScanner();
  if (engine !== undefined) return createWasmScanner(engine, options);
  if (choice === 'wasm') throw new Error('the WebAssembly scanner does not run here', { cause: problem });
  return createParsingScanner();
}
