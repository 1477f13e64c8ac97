import type { KubeClient, KubernetesObject, listWatch, Resource, ResourceSource } from 'rx-informers';
import { overlay, type OverlaidSource } from 'rx-informers/controller';
import type { TableRow } from 'rx-informers/requests';
import { selectedName } from '../cluster/name-selector.js';

/** Shows writes at once in every view, until the watch confirms them. */
export interface ShownWrites {
  /** Creates the source of each informer. Pass it to `informerRegistry`. */
  readonly listWatch: typeof listWatch;
  /** Returns the source of a table, whose rows show the metadata of writes. */
  readonly shownInTable: (
    source: ResourceSource<TableRow>,
    resource: Resource<unknown>,
    scope: { readonly namespace?: string | undefined; readonly name?: string | undefined },
  ) => ResourceSource<TableRow>;
  /** Returns the sources that may contain an object. */
  readonly sourcesOf: (resource: string, object: KubernetesObject) => readonly ShownSource[];
}

/** A source that shows writes. */
type ShownSource = Pick<OverlaidSource<KubernetesObject>, 'attempt'>;

type Source = ResourceSource<KubernetesObject>;

interface Shown {
  readonly source: ShownSource;
  readonly accepts: (object: KubernetesObject) => boolean;
}

interface Options {
  readonly namespace?: unknown;
  readonly labelSelector?: unknown;
  readonly fieldSelector?: string | undefined;
  readonly metadataOnly?: boolean | undefined;
}

/**
 * Returns a `listWatch` whose sources show writes. Sources that select by labels or read only
 * metadata show no writes.
 */
export function shownWrites(read: typeof listWatch): ShownWrites {
  // A registry has at most one informer for each kind, namespace and name at a time.
  const sources = new Map<string, Map<string, Shown>>();
  const readAny = read as unknown as (of: KubeClient, resource: Resource<unknown>, options: Options) => Source;

  const overlaid = (of: KubeClient, resource: Resource<unknown>, options: Options = {}): Source => {
    const source = readAny(of, resource, options);
    const { namespace = '', labelSelector = '', fieldSelector = '', metadataOnly = false } = options;
    const name = selectedName(fieldSelector);
    const isSelected = labelSelector !== '' || (fieldSelector !== '' && name === undefined);
    if (metadataOnly || isSelected || typeof namespace !== 'string') return source;
    const shown = overlay(source);
    add(resource, 'objects', { namespace, name }, shown);
    return shown;
  };

  const add = (
    resource: Resource<unknown>,
    as: 'objects' | 'table',
    { namespace = '', name }: { readonly namespace?: string | undefined; readonly name?: string | undefined },
    source: ShownSource,
  ): void => {
    const accepts = ({ metadata }: KubernetesObject): boolean =>
      (namespace === '' || metadata?.namespace === namespace) && (name === undefined || metadata?.name === name);
    const path = pathOf(resource);
    const ofKind = sources.get(path) ?? new Map<string, Shown>();
    sources.set(path, ofKind.set(`${as} ${namespace}/${name ?? ''}`, { source, accepts }));
  };

  const shownInTable: ShownWrites['shownInTable'] = (source, resource, scope) => {
    const shown = overlay(source);
    add(resource, 'table', scope, {
      // Only the API server knows the cells of the written object.
      attempt: (key, change) =>
        shown.attempt(key, (row) => {
          const changed = change(row);
          return changed === row ? row : { ...row, metadata: changed.metadata as TableRow['metadata'] };
        }),
    });
    return shown;
  };

  return {
    listWatch: overlaid,
    shownInTable,
    sourcesOf: (resource, object) =>
      [...(sources.get(resource)?.values() ?? [])].flatMap(({ source, accepts }) => (accepts(object) ? [source] : [])),
  };
}

function pathOf({ group, version, plural }: Resource<unknown>): string {
  return [group, version, plural].filter((part) => part !== '').join('/');
}
