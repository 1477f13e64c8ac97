import ts from 'typescript';
import { entryPoints, projectRoot } from '../project/entry-points.js';

const podInformer = "import('rx-informers').Informer<import('rx-informers').Pod, 'namespace' | 'node' | 'app'>";

/**
 * Names that an example may use without importing or declaring them, and their types.
 * CONTRIBUTING.md lists the names.
 */
const conventional: Readonly<Record<string, string>> = {
  client: "import('rx-informers').KubeClient",
  kubeConfig: "import('@kubernetes/client-node').KubeConfig",
  pod: "import('rx-informers').Pod",
  podInformer,
  nodeInformer: "import('rx-informers').Informer<import('rx-informers').KubernetesNode>",
  serviceInformer: "import('rx-informers').Informer<import('rx-informers').Service>",
};

/**
 * An entry point that users import as a namespace, because some of its names are also names of
 * rxjs. So examples cannot use its names without the namespace.
 */
const namespaceEntry = 'rx-informers/derived';

/**
 * Returns, for each exported name, the module to import it from. If rxjs exports the same name, the
 * name of this package wins.
 */
export function exportedNames(options: ts.CompilerOptions): ReadonlyMap<string, string> {
  const modules = [
    ...entryPoints
      .filter(({ specifier }) => specifier !== namespaceEntry)
      .map(({ specifier, source }) => ({ specifier, file: projectRoot + source })),
    { specifier: 'rxjs', file: resolve('rxjs', options) },
  ];
  const program = ts.createProgram({ rootNames: modules.map(({ file }) => file), options });
  const checker = program.getTypeChecker();
  const names = new Map<string, string>();
  for (const { specifier, file } of modules) {
    const source = program.getSourceFile(file);
    const symbol = source && checker.getSymbolAtLocation(source);
    for (const { name } of symbol ? checker.getExportsOfModule(symbol) : []) {
      if (!names.has(name)) names.set(name, specifier);
    }
  }
  return names;
}

/** Returns the names of values that a file imports from the entry without the namespace. */
export function namesWithoutNamespace(source: ts.SourceFile): readonly ts.ImportSpecifier[] {
  return source.statements.filter(ts.isImportDeclaration).flatMap(({ moduleSpecifier, importClause }) => {
    const { namedBindings, phaseModifier } = importClause ?? {};
    const isOfEntry = ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text === namespaceEntry;
    if (
      !isOfEntry ||
      phaseModifier === ts.SyntaxKind.TypeKeyword ||
      namedBindings === undefined ||
      ts.isNamespaceImport(namedBindings)
    )
      return [];
    return namedBindings.elements.filter((element) => !element.isTypeOnly);
  });
}

/**
 * Finds the names that each file uses and does not declare. Only the language itself is declared
 * during the search, so that an export with the name of a browser global is still found.
 */
export function unresolvedNames(
  files: readonly string[],
  options: ts.CompilerOptions,
): ReadonlyMap<string, readonly ts.Node[]> {
  const program = ts.createProgram({
    rootNames: files,
    options: { ...options, lib: ['lib.es2023.d.ts'], types: [], noResolve: true },
  });
  return new Map(
    files.map((file) => {
      const source = program.getSourceFile(file);
      if (source === undefined) return [file, []];
      return [
        file,
        program
          .getSemanticDiagnostics(source)
          .filter(isUnresolvedName)
          .map((diagnostic) => nodeAt(source, diagnostic)),
      ];
    }),
  );
}

/**
 * Returns the declarations of the names that an example uses without declaring them. The result is
 * always one line, however many names it declares.
 */
export function declarationsFor(unresolved: readonly ts.Node[], exported: ReadonlyMap<string, string>): string {
  const names = new Set(unresolved.map((node) => node.getText()));
  return [...names]
    .map((name) => {
      const uses = unresolved.filter((node) => node.getText() === name);
      return declarationOf(name, uses, exported);
    })
    .filter((declaration) => declaration !== '')
    .join(' ');
}

function declarationOf(name: string, uses: readonly ts.Node[], exported: ReadonlyMap<string, string>): string {
  if (name === 'informer' && !uses.some(isCalled)) return `declare const informer: ${podInformer};`;
  if (name === 'derived') return `import * as derived from '${namespaceEntry}';`;
  const module = exported.get(name);
  if (module !== undefined) return `import { ${name} } from '${module}';`;
  const type = conventional[name];
  return type === undefined ? '' : `declare const ${name}: ${type};`;
}

const isCalled = (node: ts.Node): boolean => ts.isCallExpression(node.parent) && node.parent.expression === node;

/**
 * The codes of "Cannot find name" in its variants: plain, "did you mean", "change your lib", and in
 * a shorthand property.
 */
const isUnresolvedName = ({ code }: ts.Diagnostic): boolean => [2304, 2552, 2503, 2583, 2584, 18004].includes(code);

function nodeAt(source: ts.SourceFile, { start = 0 }: ts.Diagnostic): ts.Node {
  const descend = (node: ts.Node): ts.Node =>
    ts.forEachChild(node, (child) => (child.getStart() <= start && start < child.end ? descend(child) : undefined)) ??
    node;
  return descend(source);
}

function resolve(module: string, options: ts.CompilerOptions): string {
  const { resolvedModule } = ts.resolveModuleName(module, `${projectRoot}package.json`, options, ts.sys);
  if (resolvedModule === undefined) throw new Error(`cannot find ${module}`);
  return resolvedModule.resolvedFileName;
}
