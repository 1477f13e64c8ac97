import type { V1LabelSelector, V1PodDisruptionBudget, V1Service } from '@kubernetes/client-node';
import { expectTypeOf } from 'expect-type';
import { informer, matching, pods, services, type KubeClient, type Pod, type Service } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { resourceClient } from 'rx-informers/requests';
import {
  formatLabelSelector,
  matchesLabelSelector,
  type LabelSelector,
  podDisruptionBudgets,
  type PodDisruptionBudget,
} from 'rx-informers/resources';
import { countMatching, type ObjectSelection } from 'rx-informers/store';
import { filterObjects } from 'rx-informers/views';

declare const client: KubeClient;
declare const service: Service;
declare const budget: PodDisruptionBudget;
declare const selector: LabelSelector;
declare const optional: LabelSelector | undefined;
declare const fromClientNode: V1LabelSelector;
declare const serviceOfClientNode: V1Service;
declare const budgetOfClientNode: V1PodDisruptionBudget;
declare const map: Readonly<Record<string, string>>;
interface OwnSelector {
  matchLabels?: Record<string, string>;
}
declare const own: OwnSelector;
const podInformer = informer(client, pods);
const podClient = resourceClient(client, pods);

// Every form of a selector compiles: text, client-node's class, an interface, a field.
podInformer.list$();
podInformer.list$('app=web');
podInformer.list$({});
podInformer.list$(selector);
podInformer.list$(optional);
podInformer.list$(own);
podInformer.list$(fromClientNode);
podInformer.list$(budget.spec?.selector);
podInformer.list$(budgetOfClientNode.spec?.selector);
podInformer.list$({ matchLabels: service.spec?.selector });
podInformer.list$(derived.serviceSelector(service));
podInformer.list$({ matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] });
podInformer.list$(fromClientNode);
matchesLabelSelector(selector);
formatLabelSelector(own);
void podClient.list({ labelSelector: budget.spec?.selector });
void podClient.deleteCollection({ namespace: 'web', labelSelector: selector });
void podClient.deleteCollection({ namespace: 'web', labelSelector: {}, all: true });

// A map of labels does not: neither that of a Service, nor a `Record`, nor a literal.
// @ts-expect-error a map of labels
podInformer.list$(service.spec?.selector);
// @ts-expect-error a map of labels
podInformer.list$(serviceOfClientNode.spec?.selector);
// @ts-expect-error a map of labels
podInformer.list$(map);
// @ts-expect-error a map of labels
podInformer.list$({ app: 'web' });
// @ts-expect-error a misspelt field
podInformer.list$({ matchLabel: { app: 'web' } });
// @ts-expect-error another field
podInformer.list$({ matchLabels: { app: 'web' }, app: 'web' });
// @ts-expect-error an array
podInformer.list$(['app=web']);
// @ts-expect-error a map of labels
matching(map);
// @ts-expect-error a map of labels
countMatching(map);
// @ts-expect-error a map of labels
filterObjects(map);
// @ts-expect-error a map of labels
derived.filter(podInformer, map);
// @ts-expect-error a map of labels
matchesLabelSelector(map);
// @ts-expect-error a map of labels
formatLabelSelector(map);
// @ts-expect-error a map of labels
void podClient.list({ labelSelector: service.spec?.selector });
// @ts-expect-error a map of labels
void podClient.deleteCollection({ namespace: 'web', labelSelector: service.spec?.selector });

// Functions select objects of the inferred type, and a variable may have any form.
declare const selection: ObjectSelection<Pod>;
podInformer.query$(matching(selection));
derived.filter(podInformer, selection);
podInformer.changes$.pipe(filterObjects((pod) => pod.spec?.nodeName === 'n1'));
expectTypeOf(podInformer.query(matching((pod: Pod) => pod.spec?.nodeName === 'n1'))).toEqualTypeOf<readonly Pod[]>();
expectTypeOf(podInformer.query(matching('app=web'))).toEqualTypeOf<readonly Pod[]>();
expectTypeOf(derived.filter(podInformer, (pod) => pod.spec?.nodeName === 'n1').list()).toEqualTypeOf<readonly Pod[]>();
podInformer.query(countMatching<Pod>((pod) => pod.spec?.nodeName === 'n1'));

// The function of a `selectorJoin` may return a selector or nothing, but no map of labels.
const budgets = informer(client, podDisruptionBudgets);
derived.selectorJoin(budgets, podInformer, { selector: ({ spec }) => spec?.selector, within: 'namespace' });
derived.selectorJoin(budgets, podInformer, { selector: () => optional, within: 'cluster' });
derived.selectorJoin(budgets, podInformer, {
  selector: ({ metadata }) => (metadata.name === 'web' ? 'app=web' : null),
  within: 'namespace',
});
derived.selectorJoin(informer(client, services), podInformer, {
  // @ts-expect-error a map of labels
  selector: ({ spec }) => spec?.selector,
  within: 'namespace',
});
derived.selectorJoin(informer(client, services), podInformer, {
  // @ts-expect-error a map of labels
  selector: () => ({ app: 'web' }),
  within: 'namespace',
});
