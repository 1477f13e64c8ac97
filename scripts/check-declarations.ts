import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { allExamples, compileModules, writeModules } from './docs/example-modules.js';
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
const emitted = `${folder}/types`;
const options = {
  paths: {},
  noEmit: false,
  declaration: true,
  emitDeclarationOnly: true,
  rootDir: folder,
  outDir: emitted,
};

/**
 * Problems of examples that are compiled as CommonJS: they await at the top level, or import a
 * default from a module. `docs:check` compiles them as the modules that they are.
 */
const ofOtherChecks = /^TS(1309|1470|2554)$/;

const modules = writeModules(allExamples(), folder);
for (const file of modules.keys()) writeFileSync(file, withExports(file, readFileSync(file, 'utf8')));
copyPackage();

const problems = ['module', 'commonjs'].flatMap(problemsOf);
for (const problem of new Set(problems)) console.error(problem);
console.log(`${modules.size} examples with declarations, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

function problemsOf(type: string): readonly string[] {
  writeFileSync(`${folder}/package.json`, JSON.stringify({ private: true, type }));
  const problems = compileModules(modules, folder, options)
    .filter(({ code }) => !ofOtherChecks.test(code))
    .map(({ code, text }) => `${code} ${text}`);
  const foreign = [...modules].flatMap(([file, { file: page, line }]) =>
    foreignNames(file).map((name) => `${page}:${line} an inferred type needs ${name}`),
  );
  return [...problems, ...foreign];
}

/**
 * Returns the names in the declarations of a module that no entry point has which the module
 * imports. Here the compiler finds such a name, because another example imports its entry point.
 * In the project of a user it does not.
 */
function foreignNames(file: string): readonly string[] {
  const imported = importsOf(file);
  const written = join(emitted, relative(folder, file)).replace(/\.tsx?$/, '.d.ts');
  // The compiler has reported why a module has no declarations.
  const declarations = existsSync(written) ? readFileSync(written, 'utf8') : '';
  return [...declarations.matchAll(/import\("(rx-informers[^"]*)"\)\.(\w+)/g)]
    .filter(([, entry = '']) => !imported.has(entry))
    .map(([, entry = '', name = '']) => `${name} of ${entry}`);
}

/** Returns what a module imports, directly or through other modules of its page, and the root. */
function importsOf(module: string): ReadonlySet<string> {
  const found = new Set(['rx-informers']);
  const visit = (file: string): void => {
    for (const { fileName: specifier } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
      if (found.has(specifier)) continue;
      found.add(specifier);
      const path = join(file, '..', specifier).replace(/\.js$/, '.ts');
      if (specifier.startsWith('.') && existsSync(path)) visit(path);
    }
  };
  visit(module);
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
