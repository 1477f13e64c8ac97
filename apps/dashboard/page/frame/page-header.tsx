import { lazy, Suspense, type ReactNode } from 'react';
import { PageLink, usePageAddress } from '../address/use-page-address.js';
import type { ClusterInfo } from '../cluster/cluster-info.js';
import { useClusterInfo } from '../cluster/cluster.js';
import { ConnectionLine } from '../cluster/connection-line.js';
import { OwnConnection } from '../cluster/own-connection.js';
import { plainText } from '../text/text.js';
import { clusterName, contextColour } from './context.js';
import { Navigation } from './navigation.js';
import { SignOut } from './sign-out.js';
import { type Theme, ThemeSwitch } from './theme.js';

const ContextSwitcher = lazy(async () => ({ default: (await import('./context-switcher.js')).ContextSwitcher }));

interface PageHeaderProps {
  readonly theme: Theme;
  readonly onTheme: (theme: Theme) => void;
  readonly onPalette: () => void;
  readonly onKeys: () => void;
}

/**
 * Renders the name of the cluster, the user's permissions, the views, and the state of the
 * connection.
 */
export function PageHeader({ theme, onTheme, onPalette, onKeys }: PageHeaderProps): ReactNode {
  const info = useClusterInfo();
  return (
    <header className={`page-header context-${contextColour(info.context)}`}>
      <div className="header-row">
        <ClusterTitle info={info} />
        <span className="header-tools">
          <OwnConnection />
          <button type="button" className="go-to" onClick={onPalette}>
            <span>Go to…</span> <kbd>Ctrl K</kbd>
          </button>
          <button type="button" className="action keys-button" aria-label="Keys" title="Keys" onClick={onKeys}>
            ?
          </button>
          <ThemeSwitch theme={theme} onTheme={onTheme} />
          <SignOut />
        </span>
      </div>
      <div className="header-row">
        <Navigation />
        <ConnectionLine />
      </div>
    </header>
  );
}

/** Renders for example `prod-eu · v1.34.1 · as alice · read only`. */
function ClusterTitle({ info }: { readonly info: ClusterInfo }): ReactNode {
  const { isKnown, demo, version, user, forcedNamespace, allowWrites } = info;
  const { context, namespace } = usePageAddress();
  return (
    <div className="cluster-title">
      <span className="context-mark" aria-hidden="true" />
      <strong>{plainText(clusterName(info), 60)}</strong>
      {(info.contexts.length > 1 || context !== undefined) && (
        <Suspense fallback={null}>
          <ContextSwitcher />
        </Suspense>
      )}
      <ul className="cluster-facts">
        {demo && <li className="tag">demo</li>}
        {version !== undefined && <li title="Version of the API server">{plainText(version, 40)}</li>}
        {user !== undefined && <li>as {plainText(user, 60)}</li>}
        {namespace !== undefined && (
          <li>
            namespace {plainText(namespace, 63)} only{' '}
            {forcedNamespace === undefined && <PageLink to={{ namespace: undefined }}>All</PageLink>}
          </li>
        )}
        {isKnown && (
          <li className={allowWrites ? 'tag may-write' : undefined}>{allowWrites ? 'can write' : 'read only'}</li>
        )}
      </ul>
      {demo && (
        <span className="fine next-step">
          See your own: <code>npm run dashboard -- --context &lt;name&gt;</code>
        </span>
      )}
    </div>
  );
}
