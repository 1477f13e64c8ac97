import type { ReactNode } from 'react';
import { useObject } from 'rx-informers/react';
import { useNodes, usePods } from '../cluster/informers.js';
import type { Opened } from '../model/opened.js';
import { DrawerFrame } from './drawer-frame.js';

interface ObjectDrawerProps {
  readonly opened: Opened;
  readonly onClose: () => void;
}

export function ObjectDrawer({ opened, onClose }: ObjectDrawerProps): ReactNode {
  switch (opened.kind) {
    case 'Pod':
      return <PodDrawer opened={opened} onClose={onClose} />;
    case 'Node':
      return <NodeDrawer opened={opened} onClose={onClose} />;
  }
}

function PodDrawer({ opened, onClose }: ObjectDrawerProps): ReactNode {
  return <DrawerFrame opened={opened} object={useObject(usePods(), opened.key)} onClose={onClose} />;
}

function NodeDrawer({ opened, onClose }: ObjectDrawerProps): ReactNode {
  return <DrawerFrame opened={opened} object={useObject(useNodes(), opened.key)} onClose={onClose} />;
}
