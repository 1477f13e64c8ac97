import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import ts from 'typescript';
import { entryPoints, projectRoot } from '../project/entry-points.js';

/** One file of src. */
export interface Module {
  /** The path relative to the project, for example `src/store/delta.ts`. */
  readonly path: string;
  readonly lines: number;
  /** The modules that the file imports, types included: paths of src, or names of packages. */
  readonly imports: readonly string[];
  readonly isEntry: boolean;
}

/** Reads every file of src, except the program in AssemblyScript. */
export function readModules(): readonly Module[] {
  const files = readdirSync(`${projectRoot}src`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('sources/wire/assembly/'))
    .map((file) => `src/${file}`)
    .sort();
  const known = new Set(files);
  return files.map((path) => {
    const text = readFileSync(projectRoot + path, 'utf8');
    return {
      path,
      lines: text.split('\n').length - 1,
      imports: importsOf(path, text, known),
      isEntry: entryPoints.some(({ source }) => source === path),
    };
  });
}

/**
 * Returns how many files import each file. Imports by entry points do not count, because a public
 * file is not necessarily used.
 */
export function importersOf(modules: readonly Module[]): ReadonlyMap<string, number> {
  const counts = new Map(modules.map(({ path }) => [path, 0]));
  for (const { imports, isEntry } of modules) {
    if (isEntry) continue;
    for (const path of imports) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return counts;
}

/**
 * Returns the circles of imports, types included: groups of files that reach each other, found by
 * Tarjan's algorithm.
 */
export function circlesOf(modules: readonly Module[]): readonly (readonly string[])[] {
  const imports = new Map(modules.map((module) => [module.path, module.imports]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): void => {
    const index = order.size;
    order.set(path, index);
    lowest.set(path, index);
    open.push(path);
    for (const next of imports.get(path) ?? []) {
      if (!imports.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(path, Math.min(lowest.get(path) ?? index, lowest.get(next) ?? index));
    }
    if (lowest.get(path) !== index) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1 || imports.get(path)?.includes(path) === true) circles.push(circle);
  };
  for (const { path } of modules) if (!order.has(path)) visit(path);
  return circles;
}

function importsOf(path: string, text: string, known: ReadonlySet<string>): readonly string[] {
  const specifiers = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  return [
    ...new Set(
      specifiers.map((specifier) => (specifier.startsWith('.') ? resolved(path, specifier, known) : specifier)),
    ),
  ];
}

function resolved(path: string, specifier: string, known: ReadonlySet<string>): string {
  const base = relative(projectRoot, resolve(projectRoot, dirname(path), specifier)).replace(/\.js$/, '');
  return [`${base}.ts`, `${base}.tsx`].find((candidate) => known.has(candidate)) ?? base;
}
