import { createParsingScanner } from './parsing-scanner.js';
import type { ScannerOptions, TextScanner } from './scanner.js';

/**
 * The scanner that reads responses: in WebAssembly, none (each text is parsed whole), or
 * (`fastest`) in WebAssembly as soon as it is loaded, if it runs, and none otherwise.
 */
export type ScannerChoice = 'wasm' | 'none' | 'fastest';

type CreateScanner = (options: ScannerOptions) => TextScanner;

let choice: ScannerChoice = 'fastest';
let createLoaded: CreateScanner | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads the scanner, a chunk of its own in a bundle, once. Rejects without WebAssembly and SIMD, or
 * if a content security policy forbids it. Also rejects if the chunk does not load; then the next
 * response tries again.
 */
export function loadScanner(): Promise<void> {
  return (loading ??= import('./wasm-scanner.js').then(
    ({ createWasmEngine, createWasmScanner }) => {
      const engine = createWasmEngine();
      createLoaded = (options) => createWasmScanner(engine, options);
    },
    (cause: unknown) => {
      loading = undefined;
      throw cause;
    },
  ));
}

/**
 * Chooses the scanner for all later texts. After the promise has resolved, no text is read by
 * another scanner; with `wasm` and `fastest`, it waits until the scanner in WebAssembly is loaded.
 * Only tests, benchmarks and the soak test call it.
 *
 * @throws Error if `wasm` is chosen and does not run here
 */
export async function chooseScanner(chosen: ScannerChoice): Promise<void> {
  choice = chosen;
  if (chosen === 'none') return;
  try {
    await loadScanner();
  } catch (cause) {
    if (chosen === 'wasm') throw new Error('the WebAssembly scanner does not run here', { cause });
  }
}

/**
 * Creates a scanner for one response. The first call begins to load WebAssembly. Without it, texts
 * are parsed whole: the result is the same, only slower.
 */
export function createTextScanner(options: ScannerOptions): TextScanner {
  const parsing = createParsingScanner();
  let loaded: TextScanner | undefined;
  let current = parsing;
  // The promise is kept without its rejection, which means only that texts are parsed whole.
  if (choice !== 'none') loadScanner().catch(() => undefined);

  return {
    get text() {
      return current.text;
    },
    scan(kind, bytes) {
      current = choice === 'none' || createLoaded === undefined ? parsing : (loaded ??= createLoaded(options));
      return current.scan(kind, bytes);
    },
    open(chunk) {
      current = choice === 'none' || createLoaded === undefined ? parsing : (loaded ??= createLoaded(options));
      current.open(chunk);
    },
    scanItem: (from) => current.scanItem(from),
  };
}
