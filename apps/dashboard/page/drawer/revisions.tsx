import { useMemo, useState, type ReactNode } from 'react';
import { replicaSets, type Collection, type KubernetesObject, type Resource } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { useHasSynced, useList } from 'rx-informers/react';
import { controllerRevisions } from 'rx-informers/resources';
import { PageLink } from '../address/use-page-address.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { useWantedKind } from '../kinds/use-kind.js';
import { Age } from '../text/age.js';
import { plainText } from '../text/text.js';
import { FieldChanges } from './field-changes.js';
import { objectChanges } from './object-changes.js';
import { isOwnedBy, revisionIn, type TemplateRevision } from './revision.js';

/** The kinds whose objects record the pod templates of a workload. */
const recordedIn: Readonly<Record<string, Resource<KubernetesObject>>> = {
  'apps/v1/deployments': replicaSets,
  'apps/v1/statefulsets': controllerRevisions,
  'apps/v1/daemonsets': controllerRevisions,
};

interface RevisionsProps {
  /** The resource as the path of the API names it: `apps/v1/deployments`. */
  readonly resource: string;
  readonly object: KubernetesObject;
}

/** Renders the revisions of a workload, the newest first, each with what it changed in the pod template. */
export function Revisions({ resource, object }: RevisionsProps): ReactNode {
  const kind = recordedIn[resource];
  const { namespace, uid } = object.metadata ?? {};
  const recorded = useWantedKind(kind, namespace);
  const owned = useMemo(() => recorded && revisionsOf(recorded, uid), [recorded, uid]);
  const hasSynced = useHasSynced(owned);
  const revisions = useList(owned).toSorted((a, b) => b.number - a.number);
  if (owned === undefined || (hasSynced && revisions.length === 0)) return null;
  return (
    <div role="group" aria-label="Revisions">
      <h4>
        Revisions <span className="count">{hasSynced ? revisions.length : '–'}</span>
      </h4>
      <PanelNotice informer={owned} what="revisions" />
      <ol className="related-revisions">
        {revisions.map((revision, at) => (
          <RevisionItem
            key={revision.uid}
            revision={revision}
            before={revisions[at + 1]}
            isNewest={at === 0}
            of={kind}
          />
        ))}
      </ol>
    </div>
  );
}

function revisionsOf(recorded: Collection<KubernetesObject>, uid: string | undefined): Collection<TemplateRevision> {
  return derived.map(recorded, (object) => (isOwnedBy(object, uid) ? revisionIn(object) : undefined));
}

interface RevisionItemProps {
  readonly revision: TemplateRevision;
  readonly before: TemplateRevision | undefined;
  readonly isNewest: boolean;
  readonly of: Resource<KubernetesObject> | undefined;
}

function RevisionItem({ revision, before, isNewest, of }: RevisionItemProps): ReactNode {
  const { number, key, images, createdAt } = revision;
  const [isOpen, setOpen] = useState(false);
  const resource = `apps/v1/${of?.plural ?? ''}`;
  return (
    <li>
      <button
        type="button"
        className="facet-fold"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        <span className="fold-mark" aria-hidden="true" /> revision {number}{' '}
        <span className="fine">
          {isNewest && 'new · '}
          {plainText(images, 120)} · <Age since={createdAt} />
        </span>
      </button>
      {isOpen && <TemplateChanges revision={revision} before={before} />}
      {isOpen && (
        <PageLink to={{ opened: { resource, key } }}>{plainText(key.slice(key.lastIndexOf('/') + 1), 120)}</PageLink>
      )}
    </li>
  );
}

/** Renders the differences between the templates of a revision and of the one before it. */
function TemplateChanges({ revision, before }: Pick<RevisionItemProps, 'revision' | 'before'>): ReactNode {
  const changes = useMemo(
    () => (before === undefined ? [] : objectChanges(before.template, revision.template)),
    [before, revision],
  );
  if (before === undefined) return <p className="fine">No earlier revision is recorded.</p>;
  if (changes.length === 0) return <p className="fine">Its pod template equals that of revision {before.number}.</p>;
  return (
    <FieldChanges changes={changes} label={`What revision ${revision.number} changed in revision ${before.number}`} />
  );
}
