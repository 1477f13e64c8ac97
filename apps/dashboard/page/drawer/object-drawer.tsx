import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Collection, KubernetesObject } from 'rx-informers';
import { useHasSynced, useObject } from 'rx-informers/react';
import { nodeResource, podResource, type Opened } from '../address/page-address.js';
import { useNodes, usePods } from '../cluster/informers.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { useReturnedFocus } from '../frame/focus.js';
import { PanelBoundary } from '../frame/panel-boundary.js';
import { Age } from '../text/age.js';
import { plainText, singularOf } from '../text/text.js';
import { isUnconfirmed } from '../writes/unconfirmed.js';
import { createdAt } from './facts.js';
import { ObjectDetails } from './object-details.js';
import { useOneObject } from './one-object.js';

interface ObjectDrawerProps {
  readonly opened: Opened;
  readonly onClose: () => void;
}

/**
 * Renders the opened object of any kind. Pods and nodes come from the informers of the page. Any
 * other object has its own watch while it is open.
 */
export function ObjectDrawer({ opened, onClose }: ObjectDrawerProps): ReactNode {
  switch (opened.resource) {
    case podResource:
      return <PodDrawer opened={opened} onClose={onClose} />;
    case nodeResource:
      return <NodeDrawer opened={opened} onClose={onClose} />;
    default:
      return <AnyDrawer opened={opened} onClose={onClose} />;
  }
}

function PodDrawer({ opened, onClose }: ObjectDrawerProps): ReactNode {
  const informer = usePods();
  const object = useObject(informer, opened.key);
  return <DrawerFrame opened={opened} informer={informer} object={object} onClose={onClose} />;
}

function NodeDrawer({ opened, onClose }: ObjectDrawerProps): ReactNode {
  const informer = useNodes();
  const object = useObject(informer, opened.key);
  return <DrawerFrame opened={opened} informer={informer} object={object} onClose={onClose} />;
}

function AnyDrawer({ opened, onClose }: ObjectDrawerProps): ReactNode {
  // Requests only the metadata of a Secret, so that its content stays on the server.
  const informer = useOneObject(opened, opened.resource === 'v1/secrets');
  const object = useObject(informer, opened.key);
  return <DrawerFrame opened={opened} informer={informer} object={object} onClose={onClose} />;
}

interface DrawerFrameProps {
  readonly opened: Opened;
  readonly informer: Collection<KubernetesObject>;
  readonly object: KubernetesObject | undefined;
  readonly onClose: () => void;
}

/**
 * Renders one object beside the view. Takes the focus, and returns it when the drawer closes. If
 * the object is deleted meanwhile, the drawer keeps its last state.
 */
export function DrawerFrame({ opened, informer, object, onClose }: DrawerFrameProps): ReactNode {
  const close = useRef<HTMLButtonElement>(null);
  const hasSynced = useHasSynced(informer);
  const { known, isReplaced } = useLastKnown(object);
  useReturnedFocus('table');
  useEffect(() => {
    close.current?.focus();
  }, []);
  const [, namespace, name = ''] = /^(?:(.*)\/)?(.*)$/.exec(opened.key) ?? [];
  const kind = known?.kind || kindTitle(opened.resource);
  return (
    <aside className="drawer" aria-labelledby="drawer-title">
      <div className="drawer-head">
        <h2 id="drawer-title">
          <span className="fine">{plainText(kind, 60)}</span>{' '}
          <span className="drawer-name">
            {namespace !== undefined && <span className="fine">{plainText(namespace)}/</span>}
            {plainText(name)}
          </span>
          {object !== undefined && isUnconfirmed(object) && <span className="saving"> saving…</span>}
        </h2>
        <button ref={close} type="button" className="action" aria-label="Close the object (Escape)" onClick={onClose}>
          Close <span aria-hidden="true">×</span>
        </button>
      </div>
      <DrawerNotice informer={informer} kind={kind} {...{ hasSynced, object, known, isReplaced }} />
      {known && (
        // The uid as the key prevents a comparison between two objects of the same name.
        <PanelBoundary key={known.metadata?.uid} title="Details">
          <ObjectDetails
            opened={opened}
            object={known}
            isGone={hasSynced && object === undefined}
            informer={informer}
          />
        </PanelBoundary>
      )}
    </aside>
  );
}

interface DrawerNoticeProps {
  readonly informer: Collection<KubernetesObject>;
  readonly kind: string;
  readonly hasSynced: boolean;
  readonly object: KubernetesObject | undefined;
  readonly known: KubernetesObject | undefined;
  readonly isReplaced: boolean;
}

function DrawerNotice({ informer, kind, hasSynced, object, known, isReplaced }: DrawerNoticeProps): ReactNode {
  if (object === undefined && !hasSynced) return <PanelNotice informer={informer} what={kind} />;
  if (object === undefined) {
    return (
      <p className="notice drawer-notice" role="status">
        {known
          ? 'Deleted. This is its last state.'
          : 'The object does not exist, or you do not have permission to read it.'}
      </p>
    );
  }
  if (!isReplaced) return null;
  return (
    <p className="notice drawer-notice" role="status">
      Replaced <Age since={createdAt(object)} /> ago by a new {lowerFirst(kind)} of this name.
    </p>
  );
}

function lowerFirst(kind: string): string {
  return /^[A-Z][a-z]/.test(kind) ? `${kind.charAt(0).toLowerCase()}${kind.slice(1)}` : kind;
}

interface LastKnown<T> {
  readonly known: T | undefined;
  /** Whether a new object with the same name has replaced the opened object. */
  readonly isReplaced: boolean;
}

/** Returns the object, or its last version after it was deleted. */
export function useLastKnown(object: KubernetesObject | undefined): LastKnown<KubernetesObject> {
  const [last, setLast] = useState<LastKnown<KubernetesObject>>({ known: object, isReplaced: false });
  if (object === undefined || object === last.known) return last;
  const isReplaced = last.isReplaced || (last.known !== undefined && last.known.metadata?.uid !== object.metadata?.uid);
  const next = { known: object, isReplaced };
  setLast(next);
  return next;
}

/**
 * Guesses the kind from the name of a resource, for an object that is not known or does not state
 * its kind: `Pod` for `v1/pods`.
 */
function kindTitle(resource: string): string {
  const singular = singularOf(resource);
  return `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`;
}
