import type { Collection, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';

/** One row for each image, with the number of pods that use it. */
export function imagesInUse(pods: Collection<Pod>) {
  return derived.groupBy(
    pods,
    ({ spec }) => [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap(({ image }) => image ?? []),
    { pods: derived.count() },
  );
}
