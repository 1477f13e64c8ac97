import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../project/entry-points.js';

/** The way of a reader through the functions that one function calls. */
interface Walk {
  /** The files in the order in which the reader is in them. Neighbours differ. */
  readonly stays: readonly string[];
  /** The number of times that the reader comes back to a file that was read before. */
  readonly returns: number;
}

/**
 * Follows the calls of a function in the order of the text, each function once, within the folder
 * of its file. A reader who follows a call into another file, and then meets another call in the
 * first file, has come back once.
 *
 * @param path the file that declares the function, relative to the project
 */
export function walkFrom(path: string, name: string): Walk {
  const folder = `${posix.dirname(path)}/`;
  const files = new Map<string, Declarations>();
  const visited = new Set<ts.Node>();
  const stays: string[] = [];

  function declarationsOf(file: string): Declarations {
    const known = files.get(file) ?? readDeclarations(file);
    files.set(file, known);
    return known;
  }

  function visit(file: string, body: ts.Node): void {
    visited.add(body);
    stay(file);
    for (const called of namesIn(body)) {
      const from = declarationsOf(file).imports.get(called) ?? file;
      const next = from.startsWith(folder) ? declarationsOf(from).functions.get(called) : undefined;
      if (next === undefined || visited.has(next)) continue;
      stay(file);
      visit(from, next);
    }
  }

  function stay(file: string): void {
    if (stays.at(-1) !== file) stays.push(file);
  }

  const first = declarationsOf(path).functions.get(name);
  if (first === undefined) throw new Error(`${path} has no function ${name}`);
  visit(path, first);
  return { stays, returns: stays.length - new Set(stays).size };
}

/** The functions of one file, and the files from which it imports names. */
interface Declarations {
  readonly functions: ReadonlyMap<string, ts.Node>;
  readonly imports: ReadonlyMap<string, string>;
}

function readDeclarations(file: string): Declarations {
  const source = ts.createSourceFile(file, readFileSync(projectRoot + file, 'utf8'), ts.ScriptTarget.Latest);
  const functions = new Map<string, ts.Node>();
  const imports = new Map<string, string>();
  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name && statement.body) {
      functions.set(statement.name.text, statement.body);
    }
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const from = posix.join(posix.dirname(file), statement.moduleSpecifier.text.replace(/\.js$/, '.ts'));
    const named = statement.importClause?.namedBindings;
    if (named && ts.isNamedImports(named)) for (const { name } of named.elements) imports.set(name.text, from);
  }
  return { functions, imports };
}

/** Returns the identifiers in the body of a function, in the order of the text, without types. */
function namesIn(node: ts.Node): readonly string[] {
  if (ts.isTypeNode(node)) return [];
  if (ts.isIdentifier(node)) return [node.text];
  if (ts.isPropertyAccessExpression(node)) return namesIn(node.expression);
  if (ts.isPropertyAssignment(node)) return namesIn(node.initializer);
  const names: string[] = [];
  ts.forEachChild(node, (child) => void names.push(...namesIn(child)));
  return names;
}
