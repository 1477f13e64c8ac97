import type { Collection, PersistentVolumeClaim, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';

/** The PersistentVolumeClaims that no pod mounts. */
export function unmountedClaims(claims: Collection<PersistentVolumeClaim>, pods: Collection<Pod>) {
  return derived.groupJoin(claims, pods, {
    on: ({ metadata, spec }) =>
      spec?.volumes?.flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
        // The claim of an ephemeral volume is named after the pod and the volume.
        const claim = persistentVolumeClaim?.claimName ?? (ephemeral && `${metadata.name}-${name}`);
        return claim === undefined ? [] : [`${metadata.namespace}/${claim}`];
      }),
    select: (claim, mountedBy) => (mountedBy.length === 0 ? claim : undefined),
  });
}
