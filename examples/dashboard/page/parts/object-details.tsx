import { useDeferredValue, type ReactNode } from 'react';
import type { Node, Pod } from 'rx-informers';
import { useLastUpdate } from '../hooks/use-last-update.js';
import { Age } from './age.js';
import { LastUpdateList } from './last-update-list.js';
import { ObjectEvents } from './object-events.js';
import { YamlActions } from './yaml-actions.js';
import { YamlText } from './yaml-text.js';

export function ObjectDetails({ object }: { readonly object: Pod | Node }): ReactNode {
  const update = useLastUpdate(object);
  // The longest to draw, and the least urgent.
  const drawn = useDeferredValue(object);
  return (
    <>
      <p className="fine">
        created <Age since={object.metadata.creationTimestamp} /> ago · version {object.metadata.resourceVersion}
      </p>
      <LastUpdateList update={update} />
      <ObjectEvents uid={object.metadata.uid} />
      <section aria-labelledby="yaml-title">
        <h3 id="yaml-title">YAML</h3>
        <YamlActions object={object} />
        <YamlText object={drawn} />
      </section>
    </>
  );
}
