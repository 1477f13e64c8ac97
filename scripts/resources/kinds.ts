import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** One kind of object that client-node's generated code can list. */
export interface ClientNodeKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The class of one object, for example `V1Pod`. */
  readonly type: string;
  /** The subresources that can be replaced, for example `status`. */
  readonly subresources: ReadonlySet<string>;
}

/** Kinds that client-node lists but that get no descriptor, by `apiVersion/plural`, and why. */
const leftOut: ReadonlyMap<string, string> = new Map([['v1/componentstatuses', 'the API server cannot watch them']]);

/**
 * Reads every kind in its stable versions from client-node's API classes. Alpha and beta versions
 * are off by default, and vanish with a later version of Kubernetes: `resource()` declares one. The
 * request factory of a `list…` method has the path and the scope of a kind, and the response
 * processor has the type of the list. The package still contains classes of earlier Kubernetes
 * versions that it no longer exports. These are skipped.
 */
export function clientNodeKinds(): readonly ClientNodeKind[] {
  const gen = join(dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node')), 'gen');
  const exportedModels = readFileSync(join(gen, 'models', 'all.d.ts'), 'utf8');
  const kinds = new Map<string, ClientNodeKind>();
  for (const file of readdirSync(join(gen, 'apis'))) {
    if (!/V\d\w*Api\.js$/.test(file)) continue;
    const source = readFileSync(join(gen, 'apis', file), 'utf8');
    for (const kind of kindsOf(source, gen)) {
      const id = `${kind.group === '' ? '' : `${kind.group}/`}${kind.version}/${kind.plural}`;
      if (!/^v\d+$/.test(kind.version) || leftOut.has(id) || !exportedModels.includes(`/${kind.type}.js'`)) continue;
      // A namespaced kind has two list methods, and only one of them shows that the kind is
      // namespaced.
      const namespaced = kind.namespaced || (kinds.get(id)?.namespaced ?? false);
      kinds.set(id, { ...kind, namespaced, subresources: subresourcesOf(kind.plural, source) });
    }
  }
  return [...kinds.values()];
}

function* kindsOf(source: string, gen: string): Generator<Omit<ClientNodeKind, 'subresources'>> {
  for (const [, method = '', body = ''] of source.matchAll(/async (list\w+)\([^)]*\) \{(.*?)\n {4}\}/gs)) {
    const path = /localVarPath = '([^']+)'/.exec(body)?.[1];
    if (path === undefined || !body.includes('"watch"')) continue;
    const listType = new RegExp(`async ${method}WithHttpInfo\\(response\\).*?"(\\w+)", ""`, 's').exec(source)?.[1];
    if (listType === undefined) throw new Error(`${method} in client-node has no response type`);
    yield {
      ...parsePath(path),
      kind: method.replace(/^list(Namespaced(?=[A-Z]))?/, '').replace(/ForAllNamespaces$/, ''),
      namespaced: path.includes('/{namespace}/'),
      type: itemType(gen, listType),
    };
  }
}

/**
 * Returns the subresources that can be replaced. The status of a namespace is at
 * `/namespaces/{name}/status`, that of a pod at `…/pods/{name}/status`.
 */
function subresourcesOf(plural: string, source: string): ReadonlySet<string> {
  const paths = source.matchAll(/async replace\w+\([^)]*\) \{.*?localVarPath = '([^']+)'/gs);
  const below = `/${plural}/{name}/`;
  return new Set(
    [...paths].flatMap(([, path = '']) =>
      path.includes(below) ? [path.slice(path.indexOf(below) + below.length)] : [],
    ),
  );
}

function parsePath(path: string): Pick<ClientNodeKind, 'group' | 'version' | 'plural'> {
  const match = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(?:namespaces\/\{namespace\}\/)?([a-z0-9]+)$/.exec(path);
  const [, group = '', version, plural] = match ?? [];
  if (version === undefined || plural === undefined) throw new Error(`cannot understand the path ${path}`);
  return { group, version, plural };
}

function itemType(gen: string, listType: string): string {
  const declaration = readFileSync(join(gen, 'models', `${listType}.d.ts`), 'utf8');
  const type = /'items': Array<(\w+)>/.exec(declaration)?.[1];
  if (type === undefined) throw new Error(`${listType} has no items`);
  return type;
}
