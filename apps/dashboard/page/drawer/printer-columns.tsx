import { useMemo, type ReactNode } from 'react';
import type { KubernetesObject } from 'rx-informers';
import { useObject } from 'rx-informers/react';
import { metaNamespaceKey } from 'rx-informers/store';
import { isCustom } from '../kinds/discovery.js';
import { Cell } from '../kinds/table-columns.js';
import { useTable } from '../kinds/use-table.js';
import { targetOf } from '../writes/writes.js';
import { Facts } from './facts.js';

interface PrinterColumnsProps {
  /** The resource as the path of the API names it: `example.com/v1/widgets`. */
  readonly resource: string;
  readonly object: KubernetesObject;
}

/**
 * Renders the columns of a custom or aggregated kind, as `kubectl get -o wide` prints them. The
 * summary of other kinds says the same in its own words.
 */
export function PrinterColumns({ resource, object }: PrinterColumnsProps): ReactNode {
  const [, , group = ''] = resource.split('/').reverse();
  return isCustom(group) ? <Cells resource={resource} object={object} /> : null;
}

function Cells({ resource, object }: PrinterColumnsProps): ReactNode {
  const { name = '', namespace } = object.metadata ?? {};
  const target = useMemo(
    () => targetOf({ resource, key: namespace === undefined ? name : `${namespace}/${name}` }),
    [resource, namespace, name],
  );
  const { rows, columns = [] } = useTable(target.resource, { namespace, name });
  const cells = useObject(rows, metaNamespaceKey(object))?.cells ?? [];
  const facts = columns.flatMap(({ name: title, format }, position) => {
    const cell = cells[position] ?? null;
    return cell === null || cell === '' || format === 'name' || title === 'Age'
      ? []
      : [[title, <Cell key={title} cell={cell} />] as const];
  });
  return facts.length === 0 ? null : <Facts facts={facts} />;
}
