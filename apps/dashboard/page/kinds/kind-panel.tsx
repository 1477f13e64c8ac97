import { useCallback, useMemo, useState, type ReactNode } from 'react';
import type { DerivedCollection } from 'rx-informers/derived';
import { useHasSynced, useIndexValues } from 'rx-informers/react';
import { reviewAccess } from 'rx-informers/requests';
import type { PartialObjectMetadata } from 'rx-informers/resources';
import { map, of, switchMap } from 'rxjs';
import { go, PageLink, usePageAddress } from '../address/use-page-address.js';
import { useCluster, useClusterInfo } from '../cluster/cluster.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { countText, plainText } from '../text/text.js';
import { columnsOf } from './columns.js';
import type { AnyObject, Kind } from './discovery.js';
import { KindTable } from './kind-table.js';
import { useUsageColumns } from './usage-columns.js';
import { useKind, useKindMetadata } from './use-kind.js';
import { useRequest } from './use-request.js';

interface KindPanelProps {
  readonly kind: Kind;
  /** The namespace to request if the user may not read all namespaces. */
  readonly home: string;
  /** The only namespace that the server permits. */
  readonly forced: string | undefined;
}

/** Finds out which namespaces of a kind the user may read, and renders the objects. */
export function KindPanel({ kind, home, forced }: KindPanelProps): ReactNode {
  const { client } = useCluster();
  const { resource } = kind;
  const { filter, settings } = usePageAddress();
  const typed = settings['kinds.namespace'];
  const [chosen] = filter.chosen['namespace'] ?? [];
  const only = resource.namespaced ? (typed ?? chosen ?? home) : undefined;
  // Requests all namespaces if that is allowed or not known. Otherwise requests the chosen
  // namespace.
  const scope = useRequest(
    useCallback(() => {
      if (forced !== undefined && resource.namespaced) return of({ namespace: forced, isDenied: false });
      return reviewAccess(client, { verb: 'list', resource }).pipe(
        switchMap((everywhere) => {
          if (everywhere !== 'denied') return of({ namespace: undefined, isDenied: false });
          if (only === undefined) return of({ namespace: undefined, isDenied: true });
          return reviewAccess(client, { verb: 'list', resource, namespace: only }).pipe(
            map((here) => ({ namespace: only, isDenied: here === 'denied' })),
          );
        }),
      );
    }, [client, resource, only, forced]),
  ).value;
  const columns = useRequest(useCallback(() => columnsOf(client, resource), [client, resource])).value;
  return (
    <section className="panel kind" aria-labelledby="kind-title">
      {scope?.isDenied === true && (
        <>
          <KindHead kind={kind} count="–" />
          <Denied kind={kind} namespace={scope.namespace} />
        </>
      )}
      {scope?.isDenied === false &&
        columns !== undefined &&
        (isSecret(kind) ? (
          <SecretNames kind={kind} namespace={scope.namespace} />
        ) : (
          <WholeObjects kind={kind} namespace={scope.namespace} columns={columns} />
        ))}
      {(scope === undefined || columns === undefined) && (
        <>
          <KindHead kind={kind} count="–" />
          <p className="fine pending-notice">Checking permissions…</p>
        </>
      )}
    </section>
  );
}

function isSecret({ resource: { group, plural } }: Kind): boolean {
  return group === '' && plural === 'secrets';
}

interface DeniedProps {
  readonly kind: Kind;
  readonly namespace: string | undefined;
}

/**
 * Renders a notice about the missing permission, and an input for a namespace that the user may
 * read.
 */
function Denied({ kind, namespace }: DeniedProps): ReactNode {
  const { settings } = usePageAddress();
  const [name, setName] = useState(namespace ?? '');
  const where = namespace === undefined ? 'in the cluster' : `in the namespace ${namespace}`;
  return (
    <div className="notice" role="alert">
      <strong>
        You do not have permission to list {plainText(kind.resource.plural)} {plainText(where)}.
      </strong>
      {kind.resource.namespaced && (
        <form
          className="namespace-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (name !== '') go({ settings: { ...settings, 'kinds.namespace': name } });
          }}
        >
          <label>
            Another namespace{' '}
            <input
              value={name}
              onChange={({ target }) => {
                setName(target.value);
              }}
            />
          </label>
          <button type="submit" className="action">
            Show
          </button>
        </form>
      )}
    </div>
  );
}

interface ObjectsProps {
  readonly kind: Kind;
  readonly namespace: string | undefined;
}

function WholeObjects({ kind, namespace, columns }: ObjectsProps & Pick<ShownProps, 'columns'>): ReactNode {
  const objects = useKind<AnyObject>(kind.resource, namespace);
  const usage = useUsageColumns(kind);
  const all = useMemo(() => [...columns, ...usage], [columns, usage]);
  return <Objects kind={kind} namespace={namespace} objects={objects} columns={all} />;
}

const noColumns: ShownProps['columns'] = [];

/** Renders the names of Secrets. Requests them without their content. */
function SecretNames({ kind, namespace }: ObjectsProps): ReactNode {
  const { secrets } = useClusterInfo();
  const objects: DerivedCollection<PartialObjectMetadata, 'namespace'> = useKindMetadata(kind.resource, namespace);
  return (
    <Objects
      kind={kind}
      namespace={namespace}
      objects={objects}
      columns={noColumns}
      note={
        secrets
          ? 'Open a Secret to see its keys. A value is shown after a click.'
          : 'Names only: the server does not send the content of Secrets.'
      }
    />
  );
}

interface ShownProps extends ObjectsProps {
  readonly objects: DerivedCollection<AnyObject, 'namespace'>;
  readonly columns: Parameters<typeof KindTable>[0]['columns'];
  readonly note?: string;
}

function Objects({ kind, namespace, objects, columns, note }: ShownProps): ReactNode {
  const { filter } = usePageAddress();
  const hasSynced = useHasSynced(objects);
  const [total, setTotal] = useState(0);
  const namespaces = useIndexValues(objects, 'namespace');
  const chosen = filter.chosen['namespace'];
  const offered = useMemo(() => [...new Set([...namespaces, ...(chosen ?? [])])].sort(), [namespaces, chosen]);
  return (
    <>
      <KindHead kind={kind} count={hasSynced ? countText(total) : '–'}>
        {namespace !== undefined && (
          <span className="fine">only namespace {plainText(namespace)}: no permission for others</span>
        )}
        {namespace === undefined && kind.resource.namespaced && (
          <select
            aria-label="Namespace"
            value={chosen?.length === 1 ? chosen[0] : ''}
            onChange={({ target: { value } }) => {
              const { namespace: _, ...others } = filter.chosen;
              go({ filter: { ...filter, chosen: value === '' ? others : { ...others, namespace: [value] } } });
            }}
          >
            <option value="">{(chosen?.length ?? 0) > 1 ? `${chosen?.length} namespaces` : 'All namespaces'}</option>
            {offered.map((name) => (
              <option key={name} value={name}>
                {plainText(name)}
              </option>
            ))}
          </select>
        )}
      </KindHead>
      {note !== undefined && <p className="fine pending-notice">{note}</p>}
      <PanelNotice informer={objects} what={kind.resource.plural} />
      <KindTable kind={kind} objects={objects} columns={columns} onTotal={setTotal} />
    </>
  );
}

interface KindHeadProps {
  readonly kind: Kind;
  readonly count: string;
  readonly children?: ReactNode;
}

function KindHead({ kind, count, children }: KindHeadProps): ReactNode {
  const { filter } = usePageAddress();
  return (
    <div className="panel-head">
      <PageLink to={{ kind: undefined }} className="action back-to-kinds">
        ‹ Kinds
      </PageLink>
      <h2 id="kind-title" title={kind.id}>
        {plainText(kind.kind)} <span className="count">{count}</span>
      </h2>
      {children}
      <div className="filter-bar" role="search">
        <input
          type="search"
          aria-label={`Filter ${kind.resource.plural}`}
          placeholder="Filter by name, or any column"
          spellCheck={false}
          value={filter.text}
          onChange={({ target }) => {
            go({ filter: { ...filter, text: target.value } }, { replace: true });
          }}
        />
      </div>
    </div>
  );
}
