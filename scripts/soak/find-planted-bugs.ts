import { build, type Plugin } from 'esbuild';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plantedBugs, type PlantedBug } from './planted-bugs.js';
import type { SoakOptions } from './soak.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** In a `node_modules`, so that the copies find the packages of the scripts. */
const copies = fileURLToPath(new URL('../node_modules/.soak/', import.meta.url));

/**
 * Runs the soak on a copy of the sources for each planted bug, and on one without a bug. Prints
 * which of them it found, and what a soak with the wrong result has done.
 *
 * @param name chooses the bugs whose names contain it; default: all
 * @returns true if it found all of them, and nothing in the copy without a bug
 */
export async function findPlantedBugs({ minutes, kind, rig, http2 }: SoakOptions, name = ''): Promise<boolean> {
  mkdirSync(copies, { recursive: true });
  const missed: string[] = [];
  for (const bug of [undefined, ...plantedBugs.filter((each) => each.name.includes(name))]) {
    const copy = `${copies}copy.mjs`;
    await build({
      entryPoints: [`${root}scripts/soak/main.ts`],
      outfile: copy,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      plugins: bug === undefined ? [] : [plant(bug)],
      logLevel: 'warning',
    });
    const options = ['--minutes', minutes, '--kind', kind, '--rig', rig, '--fail-fast'].map(String);
    if (http2 === true) options.push('--http2');
    const { code, output, errors } = await run([copy, ...options]);
    const isRight = bug === undefined ? code === 0 : code === 1 && bug.symptom.test(errors);
    const planted = bug?.name ?? 'no bug';
    if (!isRight) missed.push(planted);
    const printed = isRight ? errors : `${errors}\n${output}`;
    console.log(`${isRight ? 'right' : `wrong (exit code ${code})`}: ${planted}\n${printed.replace(/^/gm, '  ')}`);
  }
  console.log(missed.length === 0 ? 'every planted bug was found' : `wrong: ${missed.join('; ')}`);
  return missed.length === 0;
}

/** Replaces the text of the bug while its file is read. */
function plant({ file, find, replace }: PlantedBug): Plugin {
  return {
    name: 'planted bug',
    setup: (bundle) => {
      bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (relative(root, path) !== file) return undefined;
        return { contents: replaceOnce(readFileSync(path, 'utf8'), find, replace), loader: 'ts' };
      });
    },
  };
}

/** Replaces a text that occurs exactly once. */
export function replaceOnce(text: string, find: string, replace: string): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`the planted bug does not fit: this text must occur once: ${find}`);
  return before + replace + after;
}

async function run(
  command: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }> {
  const child = spawn(process.execPath, ['--expose-gc', ...command], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output.trim(), errors: errors.trim() };
}
