import { useCallback, useState, type ReactNode } from 'react';
import { reviewRights, type NamespaceRights } from 'rx-informers/requests';
import { PageLink, usePageAddress } from '../address/use-page-address.js';
import { useCluster, useClusterInfo } from '../cluster/cluster.js';
import { countText, plainText } from '../text/text.js';
import { requestKinds, kindGroups, type Kind } from './discovery.js';
import { kindCounts } from './kind-counts.js';
import { KindPanel } from './kind-panel.js';
import { useRequest } from './use-request.js';

/** Milliseconds between two discoveries: a CustomResourceDefinition may have been installed. */
const rediscovery = 60_000;

const noKinds: readonly Kind[] = [];

/**
 * Renders every kind of the API server with the number of its objects, and the objects of one kind.
 */
export function KindsView(): ReactNode {
  const { client } = useCluster();
  const info = useClusterInfo();
  const { kind: opened, namespace } = usePageAddress();
  const { forcedNamespace, namespace: ownNamespace } = info;
  const home = forcedNamespace ?? namespace ?? ownNamespace ?? 'default';
  const discovery = useRequest(
    useCallback(() => requestKinds(client), [client]),
    rediscovery,
  );
  const rights = useRights(home);
  const kinds = discovery.value?.kinds ?? noKinds;
  const counted = forcedNamespace ?? namespace;
  const counts = useRequest(useCallback(() => kindCounts(client, kinds, counted), [client, kinds, counted])).value;
  const shown = kinds.find(({ id }) => id === opened);
  return (
    <div className={opened === undefined ? 'kinds-view' : 'kinds-view with-kind'}>
      <nav className="panel kind-list" aria-label="Kinds">
        {discovery.error && (
          <p className="notice" role="alert">
            Cannot load the kinds: {plainText(discovery.error.message)}
          </p>
        )}
        {discovery.value === undefined && discovery.error === undefined && <p className="fine empty">Loading kinds…</p>}
        {kinds.length > 0 && <KindList kinds={kinds} opened={opened} rights={rights} counts={counts} />}
        {(discovery.value?.unavailable ?? []).map((group) => (
          <p key={group} className="fine unavailable">
            {plainText(group)} does not respond
          </p>
        ))}
      </nav>
      {shown !== undefined && <KindPanel key={shown.id} kind={shown} home={home} forced={forcedNamespace} />}
      {shown === undefined && opened !== undefined && discovery.value !== undefined && (
        <section className="panel">
          <p className="empty">The API server has no {plainText(opened)} that can be listed and watched.</p>
        </section>
      )}
    </div>
  );
}

/**
 * Returns the rights of the user in a namespace; `undefined` until the API server has answered.
 */
function useRights(namespace: string): NamespaceRights | undefined {
  const { client } = useCluster();
  const request = useCallback(() => reviewRights(client, namespace), [client, namespace]);
  return useRequest(request).value;
}

interface KindListProps {
  readonly kinds: readonly Kind[];
  readonly opened: string | undefined;
  readonly rights: NamespaceRights | undefined;
  /** The numbers of objects by the id of the kind, as far as they are known. */
  readonly counts: ReadonlyMap<string, number> | undefined;
}

function KindList({ kinds, opened, rights, counts }: KindListProps): ReactNode {
  const [search, setSearch] = useState('');
  const groups = kindGroups(kinds, search);
  return (
    <>
      <input
        type="search"
        className="kind-search"
        aria-label="Search kinds"
        placeholder={`Search ${kinds.length} kinds`}
        spellCheck={false}
        value={search}
        onChange={({ target }) => {
          setSearch(target.value);
        }}
      />
      <div className="kind-groups">
        {groups.map(({ title, isCustom, kinds: members }) => (
          <section key={title} aria-label={title}>
            <h2>
              {plainText(title)} {isCustom && <span className="fine">custom</span>}
            </h2>
            <ul>
              {members.map((kind) => (
                <KindItem
                  key={kind.id}
                  kind={kind}
                  isOpened={kind.id === opened}
                  rights={rights}
                  count={counts?.get(kind.id)}
                />
              ))}
            </ul>
          </section>
        ))}
        {groups.length === 0 && <p className="fine empty">No kind matches.</p>}
      </div>
    </>
  );
}

interface KindItemProps {
  readonly kind: Kind;
  readonly isOpened: boolean;
  readonly rights: NamespaceRights | undefined;
  readonly count: number | undefined;
}

/**
 * Renders the link to a kind, also if the user may not list it here. The user may have permission
 * in another namespace.
 */
function KindItem({ kind, isOpened, rights, count }: KindItemProps): ReactNode {
  const { id, resource, shortNames } = kind;
  const isDenied = rights?.right('list', resource) === 'denied';
  const reason = isDenied
    ? 'You do not have permission to list these objects'
    : `${id}${shortNames.length > 0 ? ` (${shortNames.join(', ')})` : ''}`;
  return (
    <li className={isDenied ? 'denied' : undefined}>
      <PageLink to={{ kind: id, order: [] }} isCurrent={isOpened} title={plainText(reason)}>
        {plainText(kind.kind)} {isDenied && <span className="fine">no permission</span>}
        {count !== undefined && <span className="count">{countText(count)}</span>}
      </PageLink>
    </li>
  );
}
