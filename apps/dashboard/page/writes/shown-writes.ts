import type { KubeClient, KubernetesObject, listWatch, Resource, ResourceSource } from 'rx-informers';
import { overlay, type OverlaidSource, type OverlayOptions } from 'rx-informers/controller';
import { selectedName } from '../cluster/name-selector.js';

/** Shows writes at once in every view, until the watch confirms them. */
export interface ShownWrites {
  /** Creates the source of each informer. Pass it to `informerRegistry`. */
  readonly listWatch: typeof listWatch;
  /** Returns the sources that may contain an object. */
  readonly sourcesOf: (resource: string, object: KubernetesObject) => readonly OverlaidSource<KubernetesObject>[];
}

type Source = ResourceSource<KubernetesObject>;

interface Shown {
  readonly source: OverlaidSource<KubernetesObject>;
  readonly accepts: (object: KubernetesObject) => boolean;
}

interface Options {
  readonly namespace?: unknown;
  readonly labelSelector?: unknown;
  readonly fieldSelector?: string | undefined;
  readonly metadataOnly?: boolean | undefined;
}

/** The objects in an informer, by `namespace/name`. */
export type CachedObjects = OverlayOptions<KubernetesObject>['held'];

/**
 * Returns a `listWatch` whose sources show writes. Sources that select by labels or read only
 * metadata show no writes.
 *
 * @param cachedOf returns the objects of the next source's informer. Default: the overlay reads them
 * from the informer. This requires an informer that uses the keys of the library
 */
export function shownWrites(read: typeof listWatch, cachedOf: () => CachedObjects = () => undefined): ShownWrites {
  // A registry has at most one informer for each kind, namespace and name at a time.
  const sources = new Map<string, Map<string, Shown>>();
  const readAny = read as unknown as (of: KubeClient, resource: Resource<unknown>, options: Options) => Source;

  const overlaid = (of: KubeClient, resource: Resource<unknown>, options: Options = {}): Source => {
    const source = readAny(of, resource, options);
    const { namespace = '', labelSelector = '', fieldSelector = '', metadataOnly = false } = options;
    const name = selectedName(fieldSelector);
    const isSelected = labelSelector !== '' || (fieldSelector !== '' && name === undefined);
    if (metadataOnly || isSelected || typeof namespace !== 'string') return source;
    const accepts = ({ metadata }: KubernetesObject): boolean =>
      (namespace === '' || metadata?.namespace === namespace) && (name === undefined || metadata?.name === name);
    const shown = overlay(source, { held: cachedOf() });
    const path = pathOf(resource);
    const ofKind = sources.get(path) ?? new Map<string, Shown>();
    sources.set(path, ofKind.set(`${namespace}/${name ?? ''}`, { source: shown, accepts }));
    return shown;
  };

  return {
    listWatch: overlaid,
    sourcesOf: (resource, object) =>
      [...(sources.get(resource)?.values() ?? [])].flatMap(({ source, accepts }) => (accepts(object) ? [source] : [])),
  };
}

function pathOf({ group, version, plural }: Resource<unknown>): string {
  return [group, version, plural].filter((part) => part !== '').join('/');
}
