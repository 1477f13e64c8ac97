import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isRxInformersError, messageOf } from '../kubernetes/errors.js';
import { filesOf, readCluster, readFile } from './read-documents.js';
import { typesOf, type Definition } from './types-of.js';

const usage = `Usage: rx-informers types <file or folder> -o <folder>
       rx-informers types --context <name> -o <folder>

Writes a module with the types of each CustomResourceDefinition in the file, in
the folder, or in the cluster of a context of the kubeconfig.`;

const flags = { out: { type: 'string', short: 'o' }, context: { type: 'string' }, help: { type: 'boolean' } } as const;

/**
 * Runs the command `rx-informers types`. Definitions that cannot be read are reported, and do not
 * keep it from writing the others.
 *
 * @param args the arguments after `rx-informers`
 * @param output receives the printed lines
 * @returns the exit code: 0, or 1 if anything was reported
 */
export async function typesCommand(args: readonly string[], output: Pick<Console, 'log' | 'error'>): Promise<number> {
  const problems: string[] = [];
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: flags });
    const [command, path, ...others] = positionals;
    const { out: folder, context, help } = values;
    const isComplete = command === 'types' && others.length === 0 && (path === undefined) !== (context === undefined);
    if (help === true) {
      output.log(usage);
      return 0;
    }
    if (!isComplete || folder === undefined) throw new Error(usage);
    const modules = new Map<string, string>();
    for (const origin of path === undefined ? [context ?? ''] : filesOf(path)) {
      try {
        const documents = await (path === undefined ? readCluster(origin) : readFile(origin));
        for (const definition of documents.flatMap(definitionsIn)) addModule(modules, definition);
      } catch (error) {
        if (isRxInformersError(error, 'RXI_MISSING_PACKAGE')) throw error;
        problems.push(`${origin}: ${messageOf(error)}`);
      }
    }
    if (modules.size + problems.length === 0)
      problems.push(`no CustomResourceDefinition was found in ${path ?? context ?? ''}`);
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of modules) {
      writeFileSync(join(folder, name), text);
      output.log(join(folder, name));
    }
  } catch (error) {
    problems.push(messageOf(error));
  }
  for (const problem of problems) output.error(problem);
  return problems.length === 0 ? 0 : 1;
}

/** Adds the module of a definition. Throws if there is another definition of the same resource. */
function addModule(modules: Map<string, string>, definition: Definition): void {
  const { group, names } = definition.spec;
  const name = `${names.plural}.${group}.ts`;
  const text = typesOf(definition);
  if ((modules.get(name) ?? text) !== text) throw new Error(`${names.plural}.${group} has another definition, too`);
  modules.set(name, text);
}

/** Returns the definitions in a document: the document itself, or items of a list. */
function definitionsIn(document: unknown): readonly Definition[] {
  const { kind, items, spec } = Object(document) as Partial<Definition> & { kind?: unknown; items?: unknown };
  // Items that a server lists have no kind.
  const itemKind = String(kind).replace(/List$/, '');
  if (Array.isArray(items)) return items.flatMap((item: object) => definitionsIn({ kind: itemKind, ...item }));
  // A patch of a definition, for example of kustomize, has no versions.
  const isWhole = kind === 'CustomResourceDefinition' && Array.isArray(spec?.versions);
  return isWhole && spec.versions.some(({ served }) => served) ? [document as Definition] : [];
}
