/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen } from '@testing-library/react';
import { aDeployment, aNode, aPod, aReplicaSet } from 'rx-informers/testing';
import type { AnyObject } from '../../page/kinds/discovery.js';
import { deletionOf } from '../../page/text/deletion.js';
import { serviceRow } from '../../page/workloads/service-collections.js';
import { noPods, type WorkloadNode } from '../../page/workloads/workload-node.js';
import { workloadOf } from '../../page/workloads/workload.js';
import './support/console-errors.js';
import { addWhatJsdomLacks, showPage } from './support/shown-page.js';

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

/** The metadata of an object whose deletion was requested five minutes ago. */
function deleted(name: string, finalizers: readonly string[] = [], namespace: string | undefined = 'shop') {
  return { name, ...(namespace && { namespace }), finalizers, deletionTimestamp: ago(330) };
}

const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: deleted('data-0', ['kubernetes.io/pvc-protection']),
  status: { phase: 'Bound' },
};

beforeAll(() => {
  addWhatJsdomLacks(600);
});

describe('the deletion of an object', () => {
  it('began when it was requested, which is the deletion timestamp minus the grace period', () => {
    const metadata = { deletionTimestamp: '2026-03-01T12:00:30Z', deletionGracePeriodSeconds: 30, finalizers: ['a/b'] };
    expect(deletionOf({ metadata })).toEqual({ since: '2026-03-01T12:00:00.000Z', finalizers: ['a/b'] });
    expect(deletionOf({ metadata: { finalizers: ['a/b'] } })).toBeUndefined();
    expect(deletionOf({})).toBeUndefined();
    expect(deletionOf({ metadata: { deletionTimestamp: 'never' } })?.since).toBe('never');
  });

  it.each<[string, string, object, string]>([
    [
      'a claim',
      'v1/persistentvolumeclaims:shop/data-0',
      claim,
      'It remains until this finalizer is removed: kubernetes.io/pvc-protection (a pod still uses the claim).',
    ],
    [
      'a Namespace, whose own finalizers are in its spec',
      'v1/namespaces:old',
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: deleted('old', ['example.com/guard'], ''),
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Terminating' },
      },
      'It remains until these finalizers are removed: example.com/guard, kubernetes (its content is deleted first).',
    ],
    [
      'a Secret',
      'v1/secrets:shop/db',
      { apiVersion: 'v1', kind: 'Secret', metadata: deleted('db', ['example.com/guard']) },
      'It remains until this finalizer is removed: example.com/guard.',
    ],
    [
      'a node',
      'v1/nodes:n1',
      {
        ...aNode({ name: 'n1' }),
        metadata: { ...aNode({ name: 'n1' }).metadata, ...deleted('n1', ['karpenter.sh/termination'], '') },
      },
      'It remains until this finalizer is removed: karpenter.sh/termination.',
    ],
    [
      'an object of a custom kind without finalizers',
      'example.com/v1/widgets:shop/w',
      { apiVersion: 'example.com/v1', kind: 'Widget', metadata: deleted('w'), status: { phase: 'Ready' } },
      'It has no finalizers.',
    ],
  ])('is shown first in the drawer of %s, with since when and what holds it', async (_, opened, object, words) => {
    const { server, page, eventually } = await showPage('/', []);
    if (opened.includes('widgets')) server.apply(widgets);
    server.apply(object, { keepMetadata: true });
    history.replaceState(null, '', `/?open=${opened}`);
    page.run(() => dispatchEvent(new PopStateEvent('popstate')));
    const story = (): readonly (string | undefined)[] => {
      const first = screen.getByRole('complementary').querySelector('.story');
      return [first?.className, ...[...(first?.querySelectorAll('p') ?? [])].map((part) => part.textContent.trim())];
    };
    await eventually(() => expect(story()).toEqual(['story terminating', 'Terminating for 5m', words]));
  });

  it('is shown in the table of every kind, and can be found by its word', async () => {
    const { server, page, eventually } = await showPage('/?view=kinds&kind=v1/secrets', []);
    server.apply(
      [
        { apiVersion: 'v1', kind: 'Secret', metadata: deleted('leaving') },
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'staying', namespace: 'shop' } },
      ],
      { keepMetadata: true },
    );
    const names = (): readonly (string | undefined)[] =>
      screen
        .queryAllByRole('row')
        .slice(1)
        .map((row) => row.querySelector('.name')?.textContent.trim());
    await eventually(() => expect(names()).toHaveLength(2));
    expect(names()[0]).toMatch(/^leaving.* Terminating 5m$/);
    expect(names()[1]).not.toContain('Terminating');
    const filter = screen.getByRole('searchbox', { name: 'Filter secrets' });
    page.run(() => fireEvent.change(filter, { target: { value: 'terminating' } }));
    await eventually(() => expect(names()).toHaveLength(1));
  });

  it.each<[WorkloadNode['from'], object]>([
    ['deployments', aDeployment({ name: 'web', replicas: 0 })],
    ['replicaSets', aReplicaSet({ name: 'web', replicas: 0 })],
    ['pods', aPod({ name: 'web', node: 'n1' })],
    ['jobs', { metadata: { name: 'web' }, status: { conditions: [{ type: 'Complete', status: 'True' }] } }],
  ])('is the status of workloads: %s', (from, object) => {
    const leaving = { ...object, metadata: { ...(object as AnyObject).metadata, ...deleted('web') } };
    const node = { uid: 'u', key: 'shop/web', owner: undefined, from, object: leaving } as unknown as WorkloadNode;
    const row = workloadOf({ node, totals: noPods, replicaSets: [] });
    expect(row).toMatchObject({ status: 'Terminating', severity: 'progressing' });
  });

  it('is the status of a Service', () => {
    const service = {
      metadata: { ...deleted('web'), uid: 'u', resourceVersion: '1' },
      spec: { selector: { app: 'web' } },
    };
    const endpoints = { pods: 1, ready: 1, phases: {} };
    expect(serviceRow(service as never, endpoints)).toMatchObject({ status: 'Terminating', severity: 'progressing' });
  });
});

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
