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

/** One code of errors: a member of the interface `ErrorFields`. */
export interface DocumentedError {
  readonly code: string;
  /**
   * The doc comment of the member, and its parts after `**What to do**` and `**Expected**`. A part
   * that the comment lacks is empty.
   */
  readonly doc: string;
  readonly whatToDo: string;
  readonly expected: string;
  readonly fields: readonly string[];
}

/** One type of options, including inherited options. */
export interface OptionsType {
  readonly name: string;
  /** The entry point of the type or, if it is not exported, of a function that takes it. */
  readonly entry: string;
  readonly isExported: boolean;
  /**
   * The exported functions that have a parameter of this type, which itself may be unexported.
   */
  readonly takenBy: readonly string[];
  readonly properties: readonly { readonly name: string; readonly doc: string; readonly isOptional: boolean }[];
}

export interface Surface {
  readonly names: readonly PublicName[];
  /** The names that rxjs exports, types included. */
  readonly rxjs: ReadonlySet<string>;
  /** The globals of the DOM. */
  readonly dom: ReadonlySet<string>;
  /** In the order of their declarations. */
  readonly errors: readonly DocumentedError[];
  /** The names of all classes of errors in src. */
  readonly errorClasses: readonly string[];
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
    dom: globalsOfDom(),
    errors: documentedErrors(program.getSourceFile(`${projectRoot}src/kubernetes/error-codes.ts`), checker),
    errorClasses: program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.startsWith(`${projectRoot}src/`))
      .flatMap(errorClassesOf),
  };
}

/** Returns the names that TypeScript's library of the DOM declares. */
function globalsOfDom(): ReadonlySet<string> {
  const file = `${projectRoot}node_modules/typescript/lib/lib.dom.d.ts`;
  const { statements } = ts.createSourceFile(file, ts.sys.readFile(file) ?? '', ts.ScriptTarget.Latest);
  const names = statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name);
    const isNamed =
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isFunctionDeclaration(statement);
    return isNamed && statement.name !== undefined ? [statement.name] : [];
  });
  return new Set(names.flatMap((name) => (ts.isIdentifier(name) ? [name.text] : [])));
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
  const functions = symbols.flatMap(([entry, symbol, name]) =>
    (symbol.flags & ts.SymbolFlags.ValueModule) === 0
      ? [{ entry, name, symbol }]
      : checker
          .getExportsOfModule(symbol)
          .map((member) => ({ entry, name: `${name}.${member.name}`, symbol: aliased(member, checker) })),
  );
  const parameters = functions.map(({ entry, name, symbol }) => ({
    entry,
    name,
    types: parameterTypes(symbol, checker),
  }));
  // The entry of a type that is not exported is that of the first function that takes it.
  const entries = new Map<ts.Symbol, string>();
  for (const [entry, symbol] of symbols) if (!entries.has(symbol)) entries.set(symbol, entry);
  for (const { entry, types } of parameters) for (const type of types) if (!entries.has(type)) entries.set(type, entry);
  const found = [...entries].filter(([{ name }]) => name.endsWith('Options'));
  return found.map(([symbol, entry]) => ({
    name: symbol.name,
    entry,
    isExported: symbols.some(([, exported]) => exported === symbol),
    takenBy: parameters.filter(({ types }) => types.has(symbol)).map(({ name }) => name),
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

/** Returns the types that the parameters of a function name, in all its overloads. */
function parameterTypes(symbol: ts.Symbol, checker: ts.TypeChecker): ReadonlySet<ts.Symbol> {
  const found = new Set<ts.Symbol>();
  const visit = (node: ts.Node): void => {
    const named = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    if (named !== undefined) found.add(aliased(named, checker));
    ts.forEachChild(node, visit);
  };
  for (const { parameters } of (symbol.declarations ?? []).filter(ts.isFunctionDeclaration))
    for (const { type } of parameters) if (type !== undefined) visit(type);
  return found;
}

function documentedErrors(source: ts.SourceFile | undefined, checker: ts.TypeChecker): readonly DocumentedError[] {
  const map = source?.statements.find((each) => ts.isInterfaceDeclaration(each) && each.name.text === 'ErrorFields');
  if (map === undefined) return [];
  return checker
    .getTypeAtLocation(map)
    .getProperties()
    .map((member) => ({
      code: member.name,
      fields: checker
        .getTypeOfSymbol(member)
        .getProperties()
        .map(({ name }) => name),
      ...docOf(ts.displayPartsToString(member.getDocumentationComment(checker))),
    }));
}

function docOf(text: string): Pick<DocumentedError, 'doc' | 'whatToDo' | 'expected'> {
  const [doc = '', whatToDo = '', expected = ''] = text.split(/\*\*(?:What to do|Expected)\*\*: /);
  return { doc: doc.trim(), whatToDo: whatToDo.trim(), expected: expected.trim() };
}

function errorClassesOf(source: ts.SourceFile): readonly string[] {
  const classes: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node) && node.name?.text.endsWith('Error') === true) classes.push(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return classes;
}

/**
 * An entry point that users import as a namespace (`derived.filter`), because its names are common
 * words such as filter, map and groupBy.
 */
const asNamespace = 'rx-informers/derived';

/**
 * Returns the names that a reader can confuse: values that differ by case only, one name for two
 * things, names that rxjs exports, too, and names that hide a global of the DOM.
 */
export function collisionsOf({ names, rxjs, dom }: Surface): readonly string[] {
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
    ...names.filter(({ name }) => dom.has(name)).map((each) => `${described(each)} hides a global of the DOM`),
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
