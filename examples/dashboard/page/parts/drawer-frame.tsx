import { useEffect, useRef, type ReactNode } from 'react';
import type { Node, Pod } from 'rx-informers';
import { useLastKnown } from '../hooks/use-last-known.js';
import { useReturnedFocus } from '../hooks/use-returned-focus.js';
import type { Opened } from '../model/opened.js';
import { plainText } from '../model/plain-text.js';
import { ObjectDetails } from './object-details.js';
import { PanelBoundary } from './panel-boundary.js';

interface DrawerFrameProps {
  readonly opened: Opened;
  readonly object: Pod | Node | undefined;
  readonly onClose: () => void;
}

/** One object beside the others, which takes the focus and gives it back; what is deleted meanwhile stays as it was last. */
export function DrawerFrame({ opened, object, onClose }: DrawerFrameProps): ReactNode {
  const close = useRef<HTMLButtonElement>(null);
  const known = useLastKnown(object);
  useReturnedFocus('pods');
  useEffect(() => {
    close.current?.focus();
  }, []);
  return (
    <aside className="drawer" aria-labelledby="drawer-title">
      <div className="drawer-head">
        <h2 id="drawer-title">
          <span className="fine">{opened.kind}</span> {plainText(opened.key)}
        </h2>
        <button ref={close} type="button" className="action" aria-label="Close the object (Escape)" onClick={onClose}>
          Close <span aria-hidden="true">×</span>
        </button>
      </div>
      <div className="drawer-body">
        {object === undefined && (
          <p className="notice" role="status">
            {known ? 'Deleted. This is how it was last.' : 'There is no such object, or it may not be read.'}
          </p>
        )}
        {known && (
          <PanelBoundary title="Details">
            <ObjectDetails object={known} />
          </PanelBoundary>
        )}
      </div>
    </aside>
  );
}
