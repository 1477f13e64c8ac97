import { expectTypeOf } from 'expect-type';
import { informer, deployments, pods, replicaSets, type Deployment, type KubeClient, type Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';

declare const client: KubeClient;
const podInformer = informer(client, pods);
const deploymentInformer = informer(client, deployments);

// The name of its collection determines the type of a node's object.
const tree = derived.ownerTree(
  { deployments: deploymentInformer, replicaSets: informer(client, replicaSets), pods: podInformer },
  { indexers: { from: ({ from }) => from } },
);
tree.descendants$('uid').subscribe((nodes) => {
  for (const node of nodes) {
    expectTypeOf(node.from).toEqualTypeOf<'deployments' | 'replicaSets' | 'pods'>();
    if (node.from === 'pods') expectTypeOf(node.object).toEqualTypeOf<Pod>();
    if (node.from === 'deployments') expectTypeOf(node.object).toEqualTypeOf<Deployment>();
  }
});
expectTypeOf(tree.byIndex('from', 'pods')).toEqualTypeOf(tree.byIndex('owner', ''));
// @ts-expect-error there is no such index
tree.byIndex('form', 'pods');
expectTypeOf(tree.addIndexers({ edge: ({ edge }) => edge }).children('uid')).toEqualTypeOf(tree.children('uid'));

// In a list of collections, the position of the collection determines the type.
const list = derived.ownerTree([deploymentInformer, podInformer]);
const [first] = list.roots();
if (first?.from === '1') expectTypeOf(first.object).toEqualTypeOf<Pod>();

const totals = derived.rollUp(tree, {
  pods: derived.count((node) => node.from === 'pods'),
  running: derived.count((node) => node.from === 'pods' && node.object.status?.phase === 'Running'),
  oldest: derived.min((node) => (node.from === 'pods' ? node.object.status?.startTime : undefined)),
});
expectTypeOf(totals.list()).toEqualTypeOf<
  readonly { readonly pods: number; readonly running: number; readonly oldest: string | undefined }[]
>();

const worst = derived.rollUp(
  tree,
  {
    own: (node) => ({ ready: node.from !== 'pods' || node.object.status?.phase === 'Running' }),
    combine: (own, children) => ({ ready: own.ready && children.every(({ ready }) => ready) }),
  },
  { indexers: { ready: ({ ready }) => String(ready) } },
);
expectTypeOf(worst.byIndex('ready', 'false')).toEqualTypeOf<readonly { ready: boolean }[]>();
const custom = { zero: 0, add: (total: number) => total + 1, remove: (total: number) => total - 1 };
// @ts-expect-error the totals of a custom aggregate cannot be added
derived.rollUp(tree, { custom });
