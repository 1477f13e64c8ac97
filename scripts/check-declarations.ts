import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { allExamples, describeProblem, exampleOptions, hostWithHouses, writeModules } from './docs/example-modules.js';
import { projectRoot } from './project/entry-points.js';

/*
 * Compiles the examples of the documentation as a library that uses the built package would: with
 * `declaration: true`, and with every value of the top level exported, without a written type. Each
 * inferred type must be one that the compiler can name through an entry point. Otherwise the
 * compiler reports, for example, TS2742 or TS4023, and such a library could not be built.
 *
 * The examples are compiled twice, as ES modules and as CommonJS modules, in temp/declarations.
 * This folder has a copy of the package, which the compiler finds through `exports`.
 */
const folder = `${projectRoot}temp/declarations`;
const { paths: _, ...options } = { ...exampleOptions, declaration: true, noEmit: false, emitDeclarationOnly: true };

const modules = writeModules(allExamples(), folder);
for (const file of modules.keys()) writeFileSync(file, withExports(file, readFileSync(file, 'utf8')));
copyPackage();

const problems = ['module', 'commonjs'].flatMap(problemsOf);
for (const problem of new Set(problems)) console.error(problem);
console.log(`${modules.size} examples with declarations, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

function problemsOf(type: string): readonly string[] {
  writeFileSync(`${folder}/package.json`, JSON.stringify({ private: true, type }));
  const program = ts.createProgram({ rootNames: [...modules.keys()], options, host: hostWithHouses(options) });
  return [...modules].flatMap(([file, example]) => {
    const source = program.getSourceFile(file);
    if (source === undefined) return [`${file} was not read`];
    const diagnostics = program.getDeclarationDiagnostics(source);
    return [
      ...diagnostics.map((problem) => `TS${problem.code} ` + describeProblem(example, source, problem)),
      ...foreignNames(program, source).map((name) => `${example.file}:${example.line} an inferred type needs ${name}`),
    ];
  });
}

/**
 * Returns the names in the declarations of a module that no entry point has which the module
 * imports. Here the compiler finds such a name, because another example imports its entry point.
 * In the project of a user it does not.
 */
function foreignNames(program: ts.Program, source: ts.SourceFile): readonly string[] {
  const imported = importsOf(program, source);
  const names: string[] = [];
  program.emit(source, (_file, text) => {
    for (const [, entry = '', name = ''] of text.matchAll(/import\("(rx-informers[^"]*)"\)\.(\w+)/g))
      if (!imported.has(entry)) names.push(`${name} of ${entry}`);
  });
  return names;
}

/** Returns what a module imports, directly or through other modules of its page, and the root. */
function importsOf(program: ts.Program, source: ts.SourceFile): ReadonlySet<string> {
  const found = new Set(['rx-informers']);
  const visit = ({ fileName, text }: ts.SourceFile): void => {
    for (const { fileName: specifier } of ts.preProcessFile(text).importedFiles) {
      if (found.has(specifier)) continue;
      found.add(specifier);
      const next = specifier.startsWith('.') ? program.getSourceFile(join(dirname(fileName), specifier)) : undefined;
      if (next !== undefined) visit(next);
    }
  };
  visit(source);
  return found;
}

function copyPackage(): void {
  const copy = `${folder}/node_modules/rx-informers`;
  mkdirSync(copy, { recursive: true });
  cpSync(`${projectRoot}package.json`, `${copy}/package.json`);
  const declarations = readdirSync(`${projectRoot}dist`).filter((file) => /\.d\.c?ts$/.test(file));
  for (const file of declarations) cpSync(`${projectRoot}dist/${file}`, `${copy}/dist/${file}`);
}

/** Exports every value of the top level. An expression without a name gets one. */
function withExports(file: string, text: string): string {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return source.statements.reduceRight((before, statement, index) => {
    const start = statement.getStart(source);
    return before.slice(0, start) + exportOf(statement, index) + before.slice(start);
  }, text);
}

function exportOf(statement: ts.Statement, index: number): string {
  if (ts.isExpressionStatement(statement)) return `export const expression${index} = `;
  const canBeExported =
    ts.isVariableStatement(statement) || ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  const isExported = canBeExported && statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  return canBeExported && isExported !== true ? 'export ' : '';
}
