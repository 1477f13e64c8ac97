import type { ReactNode } from 'react';
import { useNodes, usePods } from '../cluster/informers.js';
import type { Theme } from '../hooks/use-theme.js';
import { ConnectionStatus } from './connection-status.js';
import { ThemeSwitch } from './theme-switch.js';

interface PageHeaderProps {
  readonly theme: Theme;
  readonly onTheme: (theme: Theme) => void;
}

export function PageHeader({ theme, onTheme }: PageHeaderProps): ReactNode {
  const pods = usePods();
  const nodes = useNodes();
  return (
    <header className="page-header">
      <span className="page-title">
        <img src="./favicon.svg" alt="" width={18} height={18} /> rx-informers
      </span>
      <span className="connections">
        <ConnectionStatus informer={pods} what="pods" />
        <ConnectionStatus informer={nodes} what="nodes" />
      </span>
      <ThemeSwitch theme={theme} onTheme={onTheme} />
    </header>
  );
}
