import { useCallback, type ReactNode } from 'react';
import { resource as describe, type KubernetesObject } from 'rx-informers';
import { of } from 'rxjs';
import { useCluster } from '../cluster/cluster.js';
import { builtInColumns } from '../kinds/built-in-columns.js';
import { columnsOf, type KindColumn } from '../kinds/columns.js';
import type { AnyObject } from '../kinds/discovery.js';
import { useRequest } from '../kinds/use-request.js';
import { Age } from '../text/age.js';
import { plainText } from '../text/text.js';
import { Facts } from './facts.js';

interface PrinterColumnsProps {
  /** The resource as the path of the API names it: `example.com/v1/widgets`. */
  readonly resource: string;
  readonly object: KubernetesObject;
}

const none: readonly KindColumn[] = [];

/**
 * Renders the columns that the definition of a custom resource declares, as `kubectl get` prints
 * them.
 */
export function PrinterColumns({ resource, object }: PrinterColumnsProps): ReactNode {
  const { client } = useCluster();
  const isNamespaced = object.metadata?.namespace !== undefined;
  const request = useCallback(() => {
    const [plural = '', version = '', group = ''] = resource.split('/').reverse();
    const kind = describe<AnyObject>({ group, version, plural, namespaced: isNamespaced });
    return builtInColumns(kind) === undefined ? columnsOf(client, kind) : of(none);
  }, [client, resource, isNamespaced]);
  const columns = useRequest(request).value ?? none;
  const facts = columns.flatMap(({ title, type, value }) => {
    const found = value(object as AnyObject);
    if (found === undefined || found === '') return [];
    const text = type === 'age' ? <Age since={String(found)} /> : plainText(String(found), 300);
    return [[title, text] as const];
  });
  return facts.length === 0 ? null : <Facts facts={facts} />;
}
