import type { ReactNode } from 'react';
import { plainText } from '../text/text.js';
import type { ObjectChange } from './object-changes.js';

interface FieldChangesProps {
  readonly changes: readonly ObjectChange[];
  /** What the list contains, for a screen reader. */
  readonly label?: string;
}

/** Renders the old and the new value of each changed field. */
export function FieldChanges({ changes, label }: FieldChangesProps): ReactNode {
  return (
    <ul className="changes" aria-label={label}>
      {changes.map(({ path, before, after }) => (
        <li key={path}>
          <code className="path">{plainText(path)}</code>
          {before !== undefined && <del>{plainText(before, 600)}</del>}
          {after !== undefined && <ins>{plainText(after, 600)}</ins>}
        </li>
      ))}
    </ul>
  );
}
