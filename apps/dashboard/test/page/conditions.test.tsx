/** @jest-environment ./test/page/support/browser-environment.js */
import { screen } from '@testing-library/react';
import { aNode, aPod } from 'rx-informers/testing';
import { verdictsFor } from '../../page/drawer/condition-verdict.js';
import type { Condition } from '../../page/drawer/facts.js';
import './support/console-errors.js';
import { addWhatJsdomLacks, showPage } from './support/shown-page.js';

const condition = (type: string, status: string, message = ''): Condition => ({
  type,
  status,
  reason: `${type}Reason`,
  message,
});

/** A Namespace whose deletion waits for the finalizer of a ConfigMap. */
const stuck = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'old' },
  status: {
    phase: 'Terminating',
    conditions: [
      condition('NamespaceDeletionDiscoveryFailure', 'False', 'All resources successfully discovered'),
      condition('NamespaceDeletionContentFailure', 'False', 'All content successfully deleted'),
      condition('NamespaceContentRemaining', 'True', 'configmaps. has 1 resource instances'),
      condition('NamespaceFinalizersRemaining', 'True', 'example.com/guard in 1 resource instances'),
    ],
  },
};

async function show(opened: string, object: object): Promise<HTMLElement> {
  const { eventually } = await showPage(`/?open=${opened}`, object);
  await eventually(() => expect(conditionsOf(screen.getByRole('complementary'))).not.toEqual([]));
  return screen.getByRole('complementary');
}

const storyOf = (drawer: HTMLElement): readonly (string | undefined)[] => {
  const story = drawer.querySelector('.story');
  return [story?.className, ...[...(story?.querySelectorAll('p') ?? [])].map(({ textContent }) => textContent.trim())];
};

const conditionsOf = (drawer: HTMLElement): readonly string[] =>
  [...drawer.querySelectorAll('.conditions li')].map(
    (item) => `${item.className}: ${item.textContent.replace(/\s+/g, ' ').trim()}`,
  );

beforeAll(() => {
  addWhatJsdomLacks(600);
});

describe('the conditions of an object', () => {
  it('show a stuck namespace as a warning, with the message of each condition that is not met', async () => {
    const drawer = await show('v1/namespaces:old', stuck);
    expect(storyOf(drawer)).toEqual([
      'story warning',
      'NamespaceContentRemainingReason, NamespaceFinalizersRemainingReason',
      'configmaps. has 1 resource instances',
      'example.com/guard in 1 resource instances',
    ]);
    expect(conditionsOf(drawer)).toEqual([
      'bad: NamespaceContentRemaining True NamespaceContentRemainingReason: configmaps. has 1 resource instances',
      'bad: NamespaceFinalizersRemaining True NamespaceFinalizersRemainingReason: example.com/guard in 1 resource instances',
      'good: NamespaceDeletionDiscoveryFailure False NamespaceDeletionDiscoveryFailureReason: All resources successfully discovered',
      'good: NamespaceDeletionContentFailure False NamespaceDeletionContentFailureReason: All content successfully deleted',
    ]);
  });

  it('are grey for types of unknown meaning, and show their messages, too', async () => {
    const drawer = await show('batch/v1/jobs:shop/load', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'load', namespace: 'shop' },
      status: {
        conditions: [condition('Suspended', 'True', 'Job suspended'), condition('FailedOver', 'False', 'to east')],
      },
    });
    expect(storyOf(drawer)).toEqual(['story', 'Suspended: True, FailedOver: False']);
    expect(conditionsOf(drawer)).toEqual([
      'neutral: Suspended True SuspendedReason: Job suspended',
      'neutral: FailedOver False FailedOverReason: to east',
    ]);
  });

  it('are good where they are known to be, and name only the known ones first', async () => {
    const drawer = await show('apps/v1/deployments:shop/web', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      status: {
        conditions: [condition('Available', 'True', 'It has minimum availability.'), condition('Synchronised', 'True')],
      },
    });
    expect(storyOf(drawer)).toEqual(['story ok', 'Available']);
    expect(conditionsOf(drawer)).toEqual([
      'neutral: Synchronised True SynchronisedReason',
      'good: Available AvailableReason: It has minimum availability.',
    ]);
  });

  it('of a node are bad only where their meaning is known', async () => {
    const node = aNode({ name: 'n1' });
    const conditions = [
      condition('Ready', 'True', 'kubelet is posting ready status'),
      condition('DiskPressure', 'True', 'disk is full'),
      condition('GPUHealthy', 'True'),
      condition('MaintenanceScheduled', 'False'),
    ];
    const drawer = await show('v1/nodes:n1', { ...node, status: { ...node.status, conditions } });
    expect(conditionsOf(drawer).map((text) => text.split(' ', 2).join(' '))).toEqual([
      'bad: DiskPressure',
      'neutral: GPUHealthy',
      'neutral: MaintenanceScheduled',
      'good: Ready',
    ]);
  });

  it('of a pod include its readiness gates', async () => {
    const pod = aPod({ name: 'web-1', namespace: 'shop', node: 'n1' });
    const gate = 'example.com/traffic';
    const conditions = [
      condition('Ready', 'False', 'a readiness gate is not met'),
      condition(gate, 'False'),
      condition('example.com/other', 'False'),
    ];
    const drawer = await show('v1/pods:shop/web-1', {
      ...pod,
      spec: { ...pod.spec, readinessGates: [{ conditionType: gate }] },
      status: { ...pod.status, conditions },
    });
    expect(conditionsOf(drawer).map((text) => text.split(' ', 2).join(' '))).toEqual([
      'bad: Ready',
      `bad: ${gate}`,
      'neutral: example.com/other',
    ]);
  });

  it.each([
    ['example.com/v1/widgets', 'Ready', 'True', 'good'],
    ['example.com/v1/widgets', 'Ready', 'False', 'bad'],
    ['example.com/v1/widgets', 'Ready', 'Unknown', 'neutral'],
    ['v1/nodes', 'Ready', 'Unknown', 'bad'],
    ['v1/nodes', 'MemoryPressure', 'Unknown', 'neutral'],
    ['example.com/v1/nodes', 'MemoryPressure', 'True', 'neutral'],
    ['apiextensions.k8s.io/v1/customresourcedefinitions', 'Established', 'False', 'bad'],
    ['apiextensions.k8s.io/v1/customresourcedefinitions', 'Terminating', 'True', 'neutral'],
    ['apps/v1/deployments', 'Progressing', 'False', 'bad'],
    ['config.openshift.io/v1/clusteroperators', 'Progressing', 'False', 'neutral'],
    ['config.openshift.io/v1/clusteroperators', 'Degraded', 'True', 'bad'],
    ['autoscaling/v2/horizontalpodautoscalers', 'ScalingLimited', 'True', 'neutral'],
    ['batch/v1/jobs', 'Failed', 'True', 'bad'],
    ['example.com/v1/backups', 'Failed', 'True', 'neutral'],
    ['example.com/v1/backups', 'ErrorFree', 'True', 'neutral'],
  ])('of %s: %s=%s is %s', (resource, type, status, expected) => {
    expect(verdictsFor(resource)({ type, status })).toBe(expected);
  });
});
