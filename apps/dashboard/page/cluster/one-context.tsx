import type { ReactNode } from 'react';
import { go, usePageAddress } from '../address/use-page-address.js';
import { plainText } from '../text/text.js';
import { InCluster, useCluster } from './cluster.js';

/** The address parameter for the context that a view shows if it can show only one. */
const setting = 'context.shown';

/**
 * Returns the context of a view that can show only one: the context of the filter, otherwise the
 * context that the user chose in the view, otherwise the first context of the page.
 */
function useShownContext(): string | undefined {
  const { contexts, filter, settings } = usePageAddress();
  const wanted = filter.chosen['context']?.[0] ?? settings[setting];
  return contexts.find((name) => name === wanted) ?? contexts[0];
}

/**
 * Returns the context that a view inside `OneContext` shows, or `undefined` if the page shows only
 * one context.
 */
export function useContextOfView(): string | undefined {
  const shown = useShownContext();
  return usePageAddress().contexts.length > 1 ? shown : undefined;
}

/**
 * Provides one context to a view that can show only one. The view and the facets beside it read and
 * request only from that context.
 */
export function OneContext({ children }: { readonly children: ReactNode }): ReactNode {
  const { members } = useCluster();
  const shown = useShownContext();
  const cluster = shown === undefined ? undefined : members.get(shown);
  if (cluster === undefined) return children;
  return (
    <InCluster key={shown} cluster={cluster}>
      {children}
    </InCluster>
  );
}

/** Renders the name of the context that the view shows, and lets the user choose another one. */
export function ContextChoice(): ReactNode {
  const { contexts } = usePageAddress();
  return (
    <p className="fine">
      This view shows one context:{' '}
      <select
        aria-label="Context of this view"
        value={useShownContext()}
        onChange={({ target }) => {
          go(
            ({ settings, filter: { chosen, text } }) => {
              const { context: _, ...others } = chosen;
              return { settings: { ...settings, [setting]: target.value }, filter: { chosen: others, text } };
            },
            { replace: true },
          );
        }}
      >
        {contexts.map((name) => (
          <option key={name} value={name}>
            {plainText(name, 80)}
          </option>
        ))}
      </select>
    </p>
  );
}
