import { createIndexer, indexByNamespace, metaNamespaceKey, type Pod } from 'rx-informers';
import { Subscription } from 'rxjs';
import { aPod } from 'rx-informers/testing';
import { podCounts, type PodCounts } from '../../../../examples/dashboard/page/cluster/pod-counts.js';
import { indexByLabelPair } from '../../../../examples/dashboard/page/model/label-pairs.js';
import { countsText } from '../../../../examples/dashboard/page/model/phase-counts.js';
import { indexByPlacement } from '../../../../examples/dashboard/page/model/pod-filter.js';

let version = 0;

/** A pod in its next version. */
function pod(name: string, phase: string, node?: string, podIP?: string): Pod {
  const made = aPod({ name, namespace: 'shop', labels: { app: 'web' }, ...(node !== undefined && { node }) });
  const status = { phase, ...(podIP !== undefined && { podIP }) };
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
  it('follow what comes, changes, moves and goes, by node and phase', () => {
    const { pods, counts, close } = setup();
    pods.replace([pod('a', 'Pending'), pod('b', 'Running', 'n1'), pod('c', 'Running', 'n1')]);
    expect([textOf(counts, 'n1'), textOf(counts, '')]).toEqual(['2 pods: 2 running', '1 pod: 1 pending']);
    pods.update(pod('a', 'Running', 'n1'));
    pods.update(pod('c', 'Failed', 'n1'));
    pods.delete('shop/b');
    expect([textOf(counts, 'n1'), textOf(counts, '')]).toEqual(['2 pods: 1 running, 1 failed', 'no pods']);
    expect(counts.phase.list().map(({ group, pods: total }) => `${group} ${total}`)).toEqual(['failed 1', 'running 1']);
    close();
  });

  it('are those of each namespace and label, too', () => {
    const { pods, counts, close } = setup();
    pods.replace([pod('a', 'Pending'), pod('b', 'Running', 'n1')]);
    expect([counts.namespace.get('shop')?.pods, counts.label.get('app=web')?.pods]).toEqual([2, 2]);
    pods.delete('shop/b');
    expect([counts.namespace.get('shop')?.pods, counts.label.get('app=web')?.pods]).toEqual([1, 1]);
    close();
  });

  it('J3: are not announced, nor are the cells of the map, when a pod changes that keeps its phase and its node', () => {
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
