import type { ReactNode } from 'react';
import type { KubernetesObject } from 'rx-informers';
import { PhaseDot } from '../pods/phase-dot.js';
import { Age } from '../text/age.js';
import { deletionOf, finalizersText, terminating } from '../text/deletion.js';
import { plainText } from '../text/text.js';

/**
 * Renders since when an object is being deleted, and what holds it. Renders nothing for an object
 * whose deletion was not requested.
 */
export function DeletionStory({ object }: { readonly object: KubernetesObject }): ReactNode {
  const deletion = deletionOf(object);
  if (deletion === undefined) return null;
  return (
    <div className="story terminating">
      <p className="headline">
        <PhaseDot phase="terminating" /> {terminating}{' '}
        <span className="fine">
          for <Age since={deletion.since} />
        </span>
      </p>
      <p>{plainText(finalizersText(deletion.finalizers), 1000)}</p>
    </div>
  );
}
