import { createIndexer, indexByNamespace, type Pod } from 'rx-informers';
import { metaNamespaceKey } from 'rx-informers/store';
import { aPod } from 'rx-informers/testing';
import { Subscription } from 'rxjs';
import { podCounts, type PodCounts } from '../../page/pods/pod-counts.js';
import { indexByLabelPair, indexByPlacement } from '../../page/pods/pod-filter.js';
import { countsText } from '../../page/pods/pod-phase.js';

let version = 0;

/** The next version of a pod. */
function pod(name: string, phase: string, node?: string, podIP?: string): Pod {
  const made = aPod({ name, namespace: 'shop', labels: { app: 'web' }, ...(node !== undefined && { node }) });
  const conditions = [{ type: 'Ready', status: 'True' }];
  const status = { phase, conditions, ...(podIP !== undefined && { podIP }) };
  return { ...made, metadata: { ...made.metadata, resourceVersion: String(++version) }, status };
}

function setup() {
  const pods = createIndexer((object: Pod) => metaNamespaceKey(object), {
    namespace: indexByNamespace,
    node: indexByPlacement,
    label: indexByLabelPair,
  });
  const counts = podCounts(pods);
  const connections = Object.values(counts).map((collection) => collection.connect());
  return { pods, counts, close: () => connections.forEach((connection) => connection.unsubscribe()) };
}

const textOf = ({ node }: PodCounts, name: string): string => countsText(node.get(name) ?? { pods: 0, phases: {} });

describe('the counts of pods', () => {
  it('follow pods that are added, updated, moved and deleted, by node and phase', () => {
    const { pods, counts, close } = setup();
    pods.replace([pod('a', 'Pending'), pod('b', 'Running', 'n1'), pod('c', 'Running', 'n1')]);
    expect([textOf(counts, 'n1'), textOf(counts, '')]).toEqual(['2 pods: 2 running', '1 pod: 1 pending']);
    pods.update(pod('a', 'Running', 'n1'));
    pods.update(pod('c', 'Failed', 'n1'));
    pods.delete('shop/b');
    expect([textOf(counts, 'n1'), textOf(counts, '')]).toEqual(['2 pods: 1 failed, 1 running', 'no pods']);
    expect(counts.phase.list().map(({ group, pods: total }) => `${group} ${total}`)).toEqual(['failed 1', 'running 1']);
    close();
  });

  it('J3: are not emitted, nor are the cells of the map, when a pod changes without a new phase or node', () => {
    const { pods, counts, close } = setup();
    pods.replace([pod('a', 'Running', 'n1')]);
    const { dots, phase, node } = counts;
    const announced: string[] = [];
    const following = new Subscription();
    following.add(dots.changes$.subscribe(({ reason }) => announced.push(`dots ${reason}`)));
    following.add(phase.changes$.subscribe(({ reason }) => announced.push(`phase ${reason}`)));
    following.add(node.changes$.subscribe(({ reason }) => announced.push(`node ${reason}`)));
    announced.length = 0;
    pods.update(pod('a', 'Running', 'n1', '10.0.0.1'));
    expect(announced).toEqual([]);
    pods.update(pod('a', 'Failed', 'n1', '10.0.0.1'));
    expect(announced.sort()).toEqual(['dots watch', 'node watch', 'phase watch']);
    following.unsubscribe();
    close();
  });
});
