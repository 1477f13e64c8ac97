import { useId, type ReactNode } from 'react';
import { go, usePageAddress } from '../address/use-page-address.js';
import { columnsSetting, isFixed, shownColumns, toggledColumn, type PodColumn } from './pod-columns.js';

/** Renders the choice of the table's columns. */
export function ColumnChooser({ possible }: { readonly possible: readonly PodColumn[] }): ReactNode {
  const { settings } = usePageAddress();
  const setting = settings[columnsSetting];
  const shown = shownColumns(setting, possible);
  const id = useId();
  return (
    <span className="menu-place">
      <button type="button" className="action" popoverTarget={id}>
        Columns
      </button>
      <div id={id} popover="auto" className="menu" role="group" aria-label="Columns">
        {possible.map(({ name, title }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={shown.some((column) => column.name === name)}
              disabled={isFixed(name)}
              onChange={() => {
                const { [columnsSetting]: _, ...others } = settings;
                const next = toggledColumn(setting, name, possible);
                go(
                  { settings: next === undefined ? others : { ...others, [columnsSetting]: next } },
                  { replace: true },
                );
              }}
            />
            {title}
          </label>
        ))}
      </div>
    </span>
  );
}
