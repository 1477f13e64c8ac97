import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './project/entry-points.js';

/*
 * Compiles src/sources/wire/assembly to src/sources/wire/scanner-module.ts. With `--check` it only
 * compares the compiled module with that file, and fails if they differ.
 */
const options = [
  // Optimizes for speed and size. Functions that are worth inlining are marked with @inline.
  ...['-O3', '--shrinkLevel', '1', '--converge', '--noAssert', '--runtime', 'stub'],
  ...['--enable', 'simd', '--enable', 'bulk-memory'],
  // The memory has a fixed size: 2 MiB for the two texts, and two pages for everything else.
  ...['--initialMemory', '34', '--maximumMemory', '34'],
  // The module imports nothing: a failure is a trap.
  ...['--use', 'abort='],
];

const binary = compile();
const generated = `${projectRoot}src/sources/wire/scanner-module.ts`;
// The module is written in hexadecimal digits, because gzip finds repeated instructions in them: a
// bundle is 0.3 kB smaller than with base64.
const text = `// The scanner in WebAssembly, as hexadecimal digits.
// \`npm run task -- build:wasm\` compiles \`assembly/\`.
export const scannerModule =
  '${binary.toString('hex')}';
`;
if (!process.argv.includes('--check')) {
  writeFileSync(generated, text);
  console.log(`${binary.length} bytes`);
} else if (readFileSync(generated, 'utf8') !== text) {
  console.error('src/sources/wire/scanner-module.ts is outdated; run npm run task -- build:wasm');
  process.exitCode = 1;
}

function compile(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'rx-informers-wasm-'));
  try {
    const outFile = join(folder, 'scanner.wasm');
    const compiler = join(projectRoot, 'scripts/node_modules/assemblyscript/bin/asc.js');
    const source = 'src/sources/wire/assembly/index.ts';
    execFileSync(process.execPath, [compiler, source, ...options, '--outFile', outFile], {
      cwd: projectRoot,
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    return readFileSync(outFile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
