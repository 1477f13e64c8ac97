import { useMemo, useSyncExternalStore, type ReactNode } from 'react';
import { toExternalStore } from 'rx-informers/views';
import { chooseDisk, isOnDisk, useDiskChoices, useDiskOwner } from './disk-choice.js';
import { deleteScopes, diskProblem$, isOfOwner } from './disk.js';

/** Renders the choice to keep the history on disk, and where it is kept or why it is not. */
export function DiskSwitch(): ReactNode {
  const owner = useDiskOwner();
  useDiskChoices();
  const store = useMemo(() => toExternalStore(diskProblem$, undefined, { linger: 0 }), []);
  const problem = useSyncExternalStore(store.subscribe, () => diskProblem$.value);
  const isOn = isOnDisk(owner);
  const change = (): void => {
    chooseDisk(owner, !isOn);
    diskProblem$.next(isOnDisk(owner) === isOn ? 'this browser stores nothing for this page' : undefined);
    if (isOn) deleteScopes((scope) => isOfOwner(scope, owner)).catch(reportProblem);
  };
  return (
    <p className="disk-switch">
      <label>
        <input type="checkbox" checked={isOn} disabled={owner.identity === ''} onChange={change} /> Keep the history on
        disk
      </label>{' '}
      <span className="fine" role="status">
        {owner.identity === ''
          ? 'Not possible: the server of this page does not name the user.'
          : problem !== undefined
            ? `Not kept on disk: ${problem}.`
            : isOn
              ? 'The last hour, without Secrets, until you sign out or the server of this page ends.'
              : 'The history is only in memory.'}
      </span>
    </p>
  );
}

function reportProblem(error: unknown): void {
  diskProblem$.next(String(error));
}
