import type { ReactNode } from 'react';
import { useObject } from 'rx-informers/react';
import { useNodes } from '../cluster/informers.js';
import { nodeTrouble } from '../model/node-trouble.js';

/** A mark for a node that takes no pods; nothing for a healthy one, and where nodes may not be read. */
export function NodeCondition({ name }: { readonly name: string }): ReactNode {
  const node = useObject(useNodes(), name);
  const trouble = node && nodeTrouble(node);
  return trouble === undefined ? null : <span className="node-trouble">{trouble}</span>;
}
