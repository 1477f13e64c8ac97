import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useHasSynced, useIndexValues } from 'rx-informers/react';
import { reviewAccess } from 'rx-informers/requests';
import { map, of, switchMap } from 'rxjs';
import { go, PageLink, usePageAddress } from '../address/use-page-address.js';
import { useCluster, useClusterInfo } from '../cluster/cluster.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { countText, plainText } from '../text/text.js';
import type { Kind } from './discovery.js';
import { KindTable } from './kind-table.js';
import { useRequest } from './use-request.js';
import { useTable } from './use-table.js';

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
  return (
    <section className="panel kind" aria-labelledby="kind-title">
      {scope?.isDenied === true && (
        <>
          <KindHead kind={kind} count="–" />
          <Denied kind={kind} namespace={scope.namespace} />
        </>
      )}
      {scope?.isDenied === false && <Objects kind={kind} namespace={scope.namespace} />}
      {scope === undefined && (
        <>
          <KindHead kind={kind} count="–" />
          <p className="fine pending-notice">Checking permissions…</p>
        </>
      )}
    </section>
  );
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

function Objects({ kind, namespace: only }: ObjectsProps): ReactNode {
  const { secrets } = useClusterInfo();
  const ofPage = usePageAddress().namespace;
  const namespace = kind.resource.namespaced ? (only ?? ofPage) : undefined;
  const { rows, columns } = useTable(kind.resource, { namespace });
  const { filter } = usePageAddress();
  const hasSynced = useHasSynced(rows);
  const [total, setTotal] = useState(0);
  const namespaces = useIndexValues(rows, 'namespace');
  const chosen = filter.chosen['namespace'];
  const offered = useMemo(() => [...new Set([...namespaces, ...(chosen ?? [])])].sort(), [namespaces, chosen]);
  return (
    <>
      <KindHead kind={kind} count={hasSynced ? countText(total) : '–'}>
        {only !== undefined && <span className="fine">only namespace {plainText(only)}: no permission for others</span>}
        {only === undefined && kind.resource.namespaced && (
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
      {kind.id === 'v1/secrets' && (
        <p className="fine pending-notice">
          {secrets
            ? 'Open a Secret to see its keys. A value is shown after a click.'
            : 'The server does not send the content of Secrets.'}
        </p>
      )}
      <PanelNotice informer={rows} what={kind.resource.plural} />
      <KindTable kind={kind} rows={rows} columns={columns ?? noColumns} onTotal={setTotal} />
    </>
  );
}

const noColumns: Parameters<typeof KindTable>[0]['columns'] = [];

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
