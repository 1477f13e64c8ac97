import ts from 'typescript';
import { entryPoints, projectRoot } from '../entry-points.js';
import { compilerOptions } from '../tsconfig.js';

/** One name that an entry point exports. */
export interface PublicName {
  readonly name: string;
  /** What users import it from, for example `rx-informers/testing`. */
  readonly entry: string;
  /** `false`: a type, which is not there at run time. */
  readonly isValue: boolean;
  /** Where it is declared: two entries export the same thing if they export the same declaration. */
  readonly declared: string;
  /** The folder or file of src that declares it. */
  readonly file: string;
}

/** One class of errors. */
export interface ErrorClass {
  readonly name: string;
  readonly file: string;
  /** `undefined`: abstract, or it inherits the code of its base class. */
  readonly code: string | undefined;
  readonly isAbstract: boolean;
  /** The first sentence of its doc comment, and what follows `**What to do**`. */
  readonly doc: string;
  readonly whatToDo: string;
  /** Where it can be imported from, empty if it is not public. */
  readonly entries: readonly string[];
}

export interface Surface {
  readonly names: readonly PublicName[];
  /** The names that rxjs exports, types included. */
  readonly rxjs: ReadonlySet<string>;
  readonly errors: readonly ErrorClass[];
}

/** Reads what the entry points export, through the compiler. */
export function readSurface(): Surface {
  const options = compilerOptions();
  const { resolvedModule } = ts.resolveModuleName('rxjs', `${projectRoot}package.json`, options, ts.sys);
  const rxjs = resolvedModule?.resolvedFileName ?? '';
  const program = ts.createProgram({
    rootNames: [...entryPoints.map(({ source }) => projectRoot + source), rxjs],
    options: { ...options, types: [] },
  });
  const checker = program.getTypeChecker();
  const exportsOf = (file: string): readonly ts.Symbol[] => {
    const source = program.getSourceFile(file);
    const symbol = source && checker.getSymbolAtLocation(source);
    return symbol === undefined ? [] : checker.getExportsOfModule(symbol);
  };
  const names = entryPoints.flatMap(({ specifier, source }) =>
    exportsOf(projectRoot + source).map((symbol) => publicName(symbol, specifier, checker)),
  );
  return {
    names,
    rxjs: new Set(exportsOf(rxjs).map(({ name }) => name)),
    errors: program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.startsWith(`${projectRoot}src/`))
      .flatMap((source) => errorClassesOf(source, names)),
  };
}

function publicName(exported: ts.Symbol, entry: string, checker: ts.TypeChecker): PublicName {
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
  const declaration = symbol.declarations?.[0];
  const file = declaration?.getSourceFile().fileName.slice(projectRoot.length) ?? '';
  return {
    name: exported.name,
    entry,
    isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0,
    declared: `${file}:${declaration?.pos ?? 0}`,
    file,
  };
}

function errorClassesOf(source: ts.SourceFile, names: readonly PublicName[]): readonly ErrorClass[] {
  const file = source.fileName.slice(projectRoot.length);
  return source.statements.flatMap((statement) => {
    if (!ts.isClassDeclaration(statement) || statement.name === undefined) return [];
    const name = statement.name.text;
    const code = codeOf(statement);
    if (code === undefined && !name.endsWith('Error')) return [];
    const declared = `${file}:${statement.pos}`;
    const isAbstract = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword) ?? false;
    return [{ name, file, code, isAbstract, ...docOf(statement), entries: entriesOf(declared, names) }];
  });
}

function entriesOf(declared: string, names: readonly PublicName[]): readonly string[] {
  return names.filter((each) => each.declared === declared).map(({ entry }) => entry);
}

function codeOf(declaration: ts.ClassDeclaration): string | undefined {
  for (const member of declaration.members) {
    if (!ts.isPropertyDeclaration(member) || member.name.getText() !== 'code' || member.initializer === undefined)
      continue;
    const text = /^'(RXI_\w+)'/.exec(member.initializer.getText())?.[1];
    if (text !== undefined) return text;
  }
  return undefined;
}

function docOf(declaration: ts.ClassDeclaration): { readonly doc: string; readonly whatToDo: string } {
  const comment = ts.getJSDocCommentsAndTags(declaration).find(ts.isJSDoc);
  const text = ts.getTextOfJSDocComment(comment?.comment) ?? '';
  const [doc = '', whatToDo = ''] = text.split('**What to do**');
  return { doc: doc.trim(), whatToDo: whatToDo.replace(/^:\s*/, '').trim() };
}

/**
 * Returns the names that a reader can mistake for another: values that differ by case only, one name for two things, and
 * names that rxjs exports, too.
 */
export function collisionsOf({ names, rxjs }: Surface): readonly string[] {
  const values = names.filter(({ isValue }) => isValue);
  const ofSeveral = (groups: readonly (readonly PublicName[])[], differ: (name: PublicName) => string) =>
    groups.filter((group) => new Set(group.map(differ)).size > 1);
  return [
    ...ofSeveral(
      groupBy(values, ({ name }) => name.toLowerCase()),
      ({ name }) => name,
    ).map((group) => `${group.map(described).join(' and ')} differ by case`),
    ...ofSeveral(
      groupBy(names, ({ name }) => name),
      ({ declared }) => declared,
    ).map((group) => `${group.map(described).join(' and ')} are two things`),
    ...[...new Set(names.map(({ name }) => name))]
      .filter((name) => rxjs.has(name))
      .map((name) => `${name} of rxjs, too`),
  ];
}

const described = ({ name, entry }: PublicName): string => `${name} of ${entry}`;

function groupBy(
  names: readonly PublicName[],
  keyOf: (name: PublicName) => string,
): readonly (readonly PublicName[])[] {
  const groups = new Map<string, PublicName[]>();
  for (const name of names) groups.set(keyOf(name), [...(groups.get(keyOf(name)) ?? []), name]);
  return [...groups.values()];
}
