import type { ReactNode } from 'react';
import type { LastUpdate } from '../hooks/use-last-update.js';
import { plainText } from '../model/plain-text.js';
import { Age } from './age.js';

/** What the last update changed, place by place. */
export function LastUpdateList({ update }: { readonly update: LastUpdate }): ReactNode {
  const { count, changes, at } = update;
  return (
    <section aria-labelledby="update-title">
      <h3 id="update-title">
        Last update{' '}
        {at !== undefined && (
          <span className="fine">
            <Age since={new Date(at).toISOString()} /> ago, {count} since this was opened
          </span>
        )}
      </h3>
      {at === undefined && <p className="fine">Nothing has changed since this was opened.</p>}
      <ul className="changes">
        {changes.map(({ path, before, after }) => (
          <li key={`${count} ${path}`}>
            <code className="path">{plainText(path)}</code>
            {before !== undefined && <del>{plainText(before, 600)}</del>}
            {after !== undefined && <ins>{plainText(after, 600)}</ins>}
          </li>
        ))}
      </ul>
    </section>
  );
}
