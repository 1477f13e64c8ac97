import { createJavaScriptScanner } from './javascript-scanner.js';
import type { ScannerOptions, TextScanner } from './scanner.js';
import { createWasmEngine, createWasmScanner, type WasmEngine } from './wasm-scanner.js';

/**
 * The scanner that reads responses: in WebAssembly, in JavaScript, or (`fastest`) in WebAssembly if
 * it runs and in JavaScript otherwise.
 */
export type ScannerChoice = 'wasm' | 'javascript' | 'fastest';

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
 * The first call compiles the WebAssembly module. If this fails, all later calls create the
 * JavaScript scanner.
 */
export function createTextScanner(options: ScannerOptions): TextScanner {
  if (choice !== 'javascript' && engine === undefined && problem === undefined) {
    try {
      engine = createWasmEngine();
    } catch (error) {
      problem = error;
    }
  }
  if (choice === 'javascript') return createJavaScriptScanner(options);
  if (engine !== undefined) return createWasmScanner(engine, options);
  if (choice === 'wasm') throw new Error('the WebAssembly scanner does not run here', { cause: problem });
  return createJavaScriptScanner(options);
}
