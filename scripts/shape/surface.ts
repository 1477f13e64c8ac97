import ts from 'typescript';
import { entryPoints, projectRoot } from '../project/entry-points.js';

/** One name that an entry point exports. */
interface PublicName {
  readonly name: string;
  /** The specifier that users import it from, for example `rx-informers/testing`. */
  readonly entry: string;
  /** `false` for a type, which does not exist at run time. */
  readonly isValue: boolean;
  /**
   * The place of its declaration. Two entry points export the same thing if they export the same
   * declaration.
   */
  readonly declared: string;
  /** The file that declares it, for example `src/store/delta.ts`. */
  readonly file: string;
}

/** One class of errors. */
export interface ErrorClass {
  readonly name: string;
  readonly file: string;
  /**
   * The value of `code`. `undefined` if the class is abstract or inherits the code of its base
   * class.
   */
  readonly code: string | undefined;
  readonly isAbstract: boolean;
  /**
   * The doc comment of the class, and its parts after `**What to do**` and `**Expected**`. A part
   * that the comment lacks is empty.
   */
  readonly doc: string;
  readonly whatToDo: string;
  readonly expected: string;
  /** The entry points that export the class. Empty if the class is not public. */
  readonly entries: readonly string[];
}

/** One type of options, including inherited options. */
export interface OptionsType {
  readonly name: string;
  readonly entry: string;
  /** The exported functions that have a parameter of this type. */
  readonly takenBy: readonly string[];
  readonly properties: readonly { readonly name: string; readonly doc: string; readonly isOptional: boolean }[];
}

export interface Surface {
  readonly names: readonly PublicName[];
  /** The names that rxjs exports, types included. */
  readonly rxjs: ReadonlySet<string>;
  readonly errors: readonly ErrorClass[];
  readonly options: readonly OptionsType[];
}

/** The project's compiler options, for scripts that run the compiler themselves. */
export function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${projectRoot}tsconfig.json`, (path) => ts.sys.readFile(path)) as {
    config: unknown;
  };
  return ts.parseJsonConfigFileContent(config, ts.sys, projectRoot).options;
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
  const symbols = entryPoints.flatMap(({ specifier, source }) =>
    exportsOf(projectRoot + source).map((symbol) => [specifier, aliased(symbol, checker), symbol.name] as const),
  );
  return {
    names,
    options: optionsTypes(symbols, checker),
    rxjs: new Set(exportsOf(rxjs).map(({ name }) => name)),
    errors: program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.startsWith(`${projectRoot}src/`))
      .flatMap((source) => errorClassesOf(source, names)),
  };
}

function publicName(exported: ts.Symbol, entry: string, checker: ts.TypeChecker): PublicName {
  const symbol = aliased(exported, checker);
  const declaration = symbol.declarations?.[0];
  const file = declaration?.getSourceFile().fileName.slice(projectRoot.length) ?? '';
  return {
    name: exported.name,
    entry,
    isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0 && !isTypeOnly(exported),
    declared: `${file}:${declaration?.pos ?? 0}`,
    file,
  };
}

/** Returns true if the name is exported as a type: `export type { A }` or `export { type A }`. */
function isTypeOnly({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some(ts.isTypeOnlyExportDeclaration);
}

function aliased(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

function optionsTypes(
  symbols: readonly (readonly [entry: string, symbol: ts.Symbol, name: string])[],
  checker: ts.TypeChecker,
): readonly OptionsType[] {
  // A function of `export * as faults` has a name such as `faults.delay`.
  const functions = symbols.flatMap(([, symbol, name]) =>
    (symbol.flags & ts.SymbolFlags.ValueModule) === 0
      ? [{ name, symbol }]
      : checker
          .getExportsOfModule(symbol)
          .map((member) => ({ name: `${name}.${member.name}`, symbol: aliased(member, checker) })),
  );
  const parameters = functions.map(({ name, symbol }) => ({ name, types: parameterTypes(symbol) }));
  const found = symbols.filter(
    ([, symbol], index) =>
      symbol.name.endsWith('Options') && symbols.findIndex(([, other]) => other === symbol) === index,
  );
  return found.map(([entry, symbol]) => ({
    name: symbol.name,
    entry,
    takenBy: parameters.filter(({ types }) => types.has(symbol.name)).map(({ name }) => name),
    properties: checker
      .getDeclaredTypeOfSymbol(symbol)
      .getProperties()
      .map((property) => ({
        name: property.name,
        doc: ts.displayPartsToString(property.getDocumentationComment(checker)),
        isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
      })),
  }));
}

/** Returns the names in the parameter types of a function, in all its overloads. */
function parameterTypes(symbol: ts.Symbol): ReadonlySet<string> {
  const declared = (symbol.declarations ?? []).filter(ts.isFunctionDeclaration);
  const types = declared.flatMap(({ parameters }) => parameters.map(({ type }) => type?.getText() ?? ''));
  return new Set(types.flatMap((type) => type.match(/\w+/g) ?? []));
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

function docOf(declaration: ts.ClassDeclaration): Pick<ErrorClass, 'doc' | 'whatToDo' | 'expected'> {
  const comment = ts.getJSDocCommentsAndTags(declaration).find(ts.isJSDoc);
  const text = ts.getTextOfJSDocComment(comment?.comment) ?? '';
  const [doc = '', whatToDo = '', expected = ''] = text.split(/\*\*(?:What to do|Expected)\*\*: /);
  return { doc: doc.trim(), whatToDo: whatToDo.trim(), expected: expected.trim() };
}

/**
 * An entry point that users import as a namespace (`derived.filter`), because its names are common
 * words such as filter, map and groupBy.
 */
const asNamespace = 'rx-informers/derived';

/**
 * Returns the names that a reader can confuse: values that differ by case only, one name for two
 * things, and names that rxjs exports, too.
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
    ...[...new Set(names.filter(({ entry }) => entry !== asNamespace).map(({ name }) => name))]
      .filter((name) => rxjs.has(name))
      .map((name) => `${name} is a name of rxjs, too`),
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
