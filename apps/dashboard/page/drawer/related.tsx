import { useMemo, useState, type ReactNode } from 'react';
import {
  cronJobs,
  daemonSets,
  deployments,
  jobs,
  replicaSets,
  services,
  statefulSets,
  type Collection,
  type KubernetesObject,
  type Resource,
} from 'rx-informers';
import { useHasSynced, useObject, useWindow } from 'rx-informers/react';
import { severities } from 'rx-informers/resources';
import { podResource } from '../address/page-address.js';
import { PageLink } from '../address/use-page-address.js';
import { usePods } from '../cluster/informers.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { useWantedKind } from '../kinds/use-kind.js';
import { Age } from '../text/age.js';
import { useSteady } from '../text/steady.js';
import { countText, naturalOrder, plainText } from '../text/text.js';
import { SeverityDot } from '../workloads/pod-marks.js';
import { rolloutText } from '../workloads/workload-details.js';
import type { WorkloadSource } from '../workloads/workload-node.js';
import { Section } from './facts.js';
import { Owners } from './owners.js';
import { referencesOf } from './references.js';
import {
  kindsBelow,
  relationsOf,
  sourceOf,
  subjectOf,
  type RelatedRow,
  type Relation,
  type Relations,
} from './relations.js';
import { Revisions } from './revisions.js';

export interface RelatedProps {
  /** The resource as the path of the API names it: `apps/v1/deployments`. */
  readonly resource: string;
  readonly object: KubernetesObject;
  /** The collection that contains the object. */
  readonly informer: Collection<KubernetesObject>;
}

/**
 * Renders what is related to an object: its owners, the objects that it names, the objects that
 * name or select it, and the objects below it. Each line opens an object.
 */
export function Related({ resource, object, informer }: RelatedProps): ReactNode {
  const { all, workloads } = useRelations({ resource, object, informer });
  const references = useSteady(referencesOf(resource, object));
  const rollout = useObject(workloads, object.metadata?.uid)?.rollout;
  return (
    <Section title="Related">
      {rollout && <p className="rollout-text">{rolloutText(rollout)}</p>}
      <Owners object={object} />
      {references.length > 0 && (
        <ul className="references" aria-label="Uses">
          {references.slice(0, most).map(({ resource: of, key, kind, name }) => (
            <li key={`${of} ${key}`}>
              <PageLink to={{ opened: { resource: of, key } }}>
                <span className="fine">{plainText(kind, 60)}</span> {plainText(name, 120)}
              </PageLink>
            </li>
          ))}
          {references.length > most && <li className="fine">and {references.length - most} more</li>}
        </ul>
      )}
      <Revisions resource={resource} object={object} />
      {all.map((relation) => (
        <RelatedRows key={relation.title} relation={relation} />
      ))}
    </Section>
  );
}

const kinds: Readonly<Record<Exclude<WorkloadSource, 'pods'>, Resource<KubernetesObject>>> = {
  deployments,
  replicaSets,
  statefulSets,
  daemonSets,
  cronJobs,
  jobs,
};

/** Returns what is related to an object, and reads the kinds that this needs. */
export function useRelations({ resource, object, informer }: RelatedProps): Relations {
  const pods = usePods();
  const subject = useSteady(subjectOf(resource, object));
  const { namespace } = subject;
  const wanted = kindsBelow(resource);
  const read = (from: keyof typeof kinds): Resource<KubernetesObject> | undefined =>
    wanted.includes(from) ? kinds[from] : undefined;
  const ofServices = useWantedKind(resource === podResource ? services : undefined, namespace);
  const ofDeployments = useWantedKind(read('deployments'), namespace);
  const ofReplicaSets = useWantedKind(read('replicaSets'), namespace);
  const ofStatefulSets = useWantedKind(read('statefulSets'), namespace);
  const ofDaemonSets = useWantedKind(read('daemonSets'), namespace);
  const ofCronJobs = useWantedKind(read('cronJobs'), namespace);
  const ofJobs = useWantedKind(read('jobs'), namespace);
  return useMemo(() => {
    const own = sourceOf(subject.resource);
    const workloads = {
      deployments: ofDeployments,
      replicaSets: ofReplicaSets,
      statefulSets: ofStatefulSets,
      daemonSets: ofDaemonSets,
      cronJobs: ofCronJobs,
      jobs: ofJobs,
      ...(own && { [own]: informer }),
    };
    return relationsOf(subject, { pods, services: ofServices, workloads });
  }, [
    subject,
    pods,
    informer,
    ofServices,
    ofDeployments,
    ofReplicaSets,
    ofStatefulSets,
    ofDaemonSets,
    ofCronJobs,
    ofJobs,
  ]);
}

/** The number of lines of a relation before the user asks for more, and the number that is added then. */
const few = 10;
const most = 100;

const worstFirst = [
  { value: ({ severity }: RelatedRow) => (severity === undefined ? severities.length : severities.indexOf(severity)) },
  { value: ({ name }: RelatedRow) => name, collator: naturalOrder },
];

function RelatedRows({ relation }: { readonly relation: Relation }): ReactNode {
  const { title, rows: collection, filter, nothing } = relation;
  const [limit, setLimit] = useState(few);
  const hasSynced = useHasSynced(collection);
  const { rows, keys, total } = useWindow(collection, { sortBy: worstFirst, limit });
  if (hasSynced && total === 0 && nothing === undefined) return null;
  const others = total - rows.length;
  return (
    <div role="group" aria-label={title}>
      <h4>
        {title} <span className="count">{hasSynced ? countText(total) : '–'}</span>
      </h4>
      <PanelNotice informer={collection} what={title.toLowerCase()} />
      {hasSynced && total === 0 && <p className="story warning">{plainText(nothing ?? '', 400)}</p>}
      <ul className="related-rows">
        {rows.map((row, at) => (
          <li key={keys[at]}>
            {row.severity === undefined ? <span /> : <SeverityDot severity={row.severity} />}
            <PageLink to={{ opened: { resource: row.resource, key: row.key } }}>
              {title !== 'Pods' && <span className="fine">{plainText(row.kind, 60)} </span>}
              {plainText(row.name, 120)}
            </PageLink>
            <span className="fine">{plainText(row.text, 60)}</span>
            <span className="fine">{row.createdAt !== undefined && <Age since={row.createdAt} />}</span>
          </li>
        ))}
      </ul>
      {total > few && filter && (
        <PageLink className="more-link" to={{ view: 'pods', filter }}>
          Show all {countText(total)} in the table of pods
        </PageLink>
      )}
      {others > 0 && !filter && (
        <button
          type="button"
          className="action"
          onClick={() => {
            setLimit(limit + most);
          }}
        >
          Show {countText(Math.min(most, others))} more of {countText(others)}
        </button>
      )}
    </div>
  );
}
