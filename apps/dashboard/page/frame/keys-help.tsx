import { useEffect, useRef, type ReactNode } from 'react';
import { pageViews } from './views.js';

const keys: readonly (readonly [keys: string, does: string])[] = [
  ['/ or Ctrl-K', 'go to an object, a kind or a view, or run an action'],
  ['f', 'filter by words, or by labels: component=worker'],
  ['j, k or arrows', 'next and previous row'],
  ['Enter', 'open the row'],
  ['→ and ← in workloads', 'open and close what is below the row'],
  ['arrows in the map', 'move between nodes, and down to the pods of one'],
  ['Escape', 'close the object; then clear the filter'],
  ['Shift and a title', 'also sort by this column'],
  ['Alt and arrows on a title', 'change the width of the column'],
  ['Ctrl and a click', 'open in another tab'],
  ['t', 'trouble first'],
  ['c', 'copy the kubectl command of what is shown'],
  ['?', 'show these keys'],
];

/** Renders the dialog with the keys of the page. */
export function KeysHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const rows = [...keys, ...pageViews.map(({ key, title }) => [`g ${key}`, `view: ${title}`] as const)];
  return (
    <dialog
      ref={dialog}
      className="palette keys-help"
      aria-labelledby="keys-title"
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.stopPropagation();
      }}
    >
      <div className="panel-head">
        <h2 id="keys-title">Keys</h2>
        <button
          type="button"
          className="action"
          onClick={() => {
            dialog.current?.close();
          }}
        >
          Close
        </button>
      </div>
      <dl>
        {rows.map(([name, does]) => (
          <div key={name}>
            <dt>
              <kbd>{name}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
