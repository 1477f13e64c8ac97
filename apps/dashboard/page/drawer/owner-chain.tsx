import { useEffect, useState, type ReactNode } from 'react';
import type { KubernetesObject } from 'rx-informers';
import { PageLink } from '../address/use-page-address.js';
import { useCluster } from '../cluster/cluster.js';
import { plainText } from '../text/text.js';
import { controllerOf, ownerChain, type OwnerLink } from './owners.js';

/** Renders the owners of an object as links, the outermost first: Deployment › ReplicaSet. */
export function OwnerChain({ object }: { readonly object: KubernetesObject }): ReactNode {
  const owners = useOwners(object);
  const owner = controllerOf(object);
  if (!owner) return null;
  // Shows the owner that the object itself names until all owners are known.
  const shown: readonly Partial<OwnerLink>[] = owners.length > 0 ? [...owners].reverse() : [owner];
  return (
    <ol className="owners" aria-label="Owners">
      {shown.map(({ kind = '', name = '', resource, key }) => {
        const text = (
          <>
            <span className="fine">{plainText(kind, 60)}</span> {plainText(name, 120)}
          </>
        );
        return (
          <li key={`${kind} ${name}`}>
            {resource !== undefined && key !== undefined ? (
              <PageLink to={{ opened: { resource, key } }}>{text}</PageLink>
            ) : (
              text
            )}
          </li>
        );
      })}
    </ol>
  );
}

/**
 * Returns the owners of an object that are known so far. Reads them again only for another object
 * or owner.
 */
function useOwners(object: KubernetesObject): readonly OwnerLink[] {
  const { client } = useCluster();
  const [found, setFound] = useState<{ readonly of: string; readonly owners: readonly OwnerLink[] }>();
  const { namespace, uid } = object.metadata ?? {};
  const owner = JSON.stringify(controllerOf(object) ?? null);
  const of = `${uid ?? ''} ${owner}`;
  useEffect(() => {
    const reference = JSON.parse(owner) as ReturnType<typeof controllerOf> | null;
    if (!reference) return undefined;
    const reading = ownerChain(client, {
      metadata: { namespace, ownerReferences: [reference] },
    }).subscribe((owners) => {
      setFound({ of, owners });
    });
    return () => {
      reading.unsubscribe();
    };
  }, [client, namespace, owner, of]);
  return found?.of === of ? found.owners : [];
}
