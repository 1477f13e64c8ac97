import { isObservable, map, type Observable, scan, type SchedulerLike } from 'rxjs';
import { development, warnOfMistake } from '../../kubernetes/development.js';
import type { ResourceSource } from '../model/source.js';
import { type MergeOptions, mergeSources } from './merge-sources.js';

/** Represents several namespaces for `listWatch`; `inNamespaces` creates it. */
export type NamespaceSet = Readonly<{
  names: readonly string[] | Observable<readonly string[]>;
  startWithout: MergeOptions['startWithout'];
  /**
   * Merges the sources. Being part of this value, it is not in bundles with one namespace.
   *
   * @internal
   */
  merge: typeof mergeNamespaces;
}>;

/**
 * Selects several namespaces for `listWatch`. The set may change.
 *
 * Each namespace has its own LIST and WATCH. They are merged as by `mergeSources`, with the
 * namespace as partition. For hundreds of namespaces, reading all namespaces with a filter costs
 * less.
 *
 * @param names the namespaces, or an Observable of arrays of namespaces, whose last value counts
 * @param options states in which a namespace does not hold back the first lists of other
 *   namespaces. Default `[]`: no list is emitted before every namespace has listed, so a forbidden
 *   namespace holds back all lists
 * @returns a value for the option `namespace` of `listWatch`
 * @example
 * import { inNamespaces, informer, pods, type KubeClient } from 'rx-informers';
 *
 * declare const client: KubeClient;
 * informer(client, pods, { namespace: inNamespaces(['web', 'api']) });
 */
export function inNamespaces(
  names: readonly string[] | Observable<readonly string[]>,
  { startWithout }: Pick<MergeOptions, 'startWithout'> = {},
): NamespaceSet {
  return { names, startWithout, merge: mergeNamespaces };
}

function mergeNamespaces<T>(
  { names, startWithout }: NamespaceSet,
  sourceOf: (namespace: string) => ResourceSource<T>,
  scheduler: SchedulerLike,
): ResourceSource<T> {
  const options = { startWithout, scheduler };
  if (!isObservable(names)) {
    // The form of `isDevelopment` that a bundler can evaluate: see there.
    try {
      if (process.env.NODE_ENV !== 'production') throw development;
    } catch {
      if (names.length === 0)
        warnOfMistake(
          'inNamespaces([]) selects no namespace, so nothing is read. Pass at least one namespace, or leave out the option namespace to read all of them.',
        );
    }
    return mergeSources(Object.fromEntries(names.map((name) => [name, sourceOf(name)])), options);
  }
  const sources = names.pipe(
    scan(
      (known, current) => new Map(current.map((name) => [name, known.get(name) ?? sourceOf(name)])),
      new Map<string, ResourceSource<T>>(),
    ),
    map((byName) => Object.fromEntries(byName)),
  );
  return mergeSources(sources, options);
}
