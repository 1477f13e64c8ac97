import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { projectRoot } from '../project/entry-points.js';
import type { Module } from './modules.js';

/** The names that every protocol has: states, inputs, effects, and the function between them. */
const ofProtocols = ['Effect', 'Input', 'State', 'Step', 'step'];

/** Returns the exported names that several files declare, as `Entry: src/a.ts, src/b.ts`. */
export function sharedNames(modules: readonly Module[]): readonly string[] {
  const owners = new Map<string, string[]>();
  for (const { path } of modules) {
    for (const name of exportedNames(path)) owners.set(name, [...(owners.get(name) ?? []), path]);
  }
  return [...owners]
    .filter(([name, paths]) => paths.length > 1 && !ofProtocols.includes(name))
    .map(([name, paths]) => `${name}: ${paths.join(', ')}`)
    .sort();
}

/** Returns the names that a file declares and exports, overloads once. */
function exportedNames(path: string): ReadonlySet<string> {
  const source = ts.createSourceFile(path, readFileSync(projectRoot + path, 'utf8'), ts.ScriptTarget.Latest);
  const names = new Set<string>();
  for (const statement of source.statements) {
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    const declared = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [statement as ts.DeclarationStatement];
    for (const { name } of declared) if (name !== undefined && ts.isIdentifier(name)) names.add(name.text);
  }
  return names;
}
