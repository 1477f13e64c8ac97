import { Fragment, useEffect, useMemo, useState, type ReactNode } from 'react';
import type { Collection, KubernetesObject, Query } from 'rx-informers';
import type { CollectionHistory, VersionChanges } from 'rx-informers/history';
import { useQuery } from 'rx-informers/react';
import type { Opened } from '../address/page-address.js';
import { FieldChanges } from '../drawer/field-changes.js';
import { objectChanges, type ObjectChange } from '../drawer/object-changes.js';
import { Age } from '../text/age.js';
import { plainText, singularOf } from '../text/text.js';
import { BeforeRecording } from './before-recording.js';
import { writersOf, writerText } from './field-writers.js';
import { useManagedVersions, type ManagedVersions } from './managed-objects.js';
import { historyOf, keepAll, keptLive, liveOf, pastOf, readBack } from './recordings.js';
import { showTime, useShownTime } from './shown-time.js';
import { clockText } from './time-line.js';

/** The maximum number of changes that are drawn. The time bar leads to earlier ones. */
const most = 100;

interface ChangeLogProps {
  readonly opened: Opened;
  /** The collection that contains the object, as the hooks of the page return it. */
  readonly collection: Collection<KubernetesObject>;
}

/**
 * Renders every recorded change of one object, the latest first: the old value, the new value, and
 * the writer. While the page shows an earlier time, renders the changes up to that time. A new
 * object of the same name is an entry of its own, and is not compared with the old one.
 */
export function ChangeLog({ opened, collection }: ChangeLogProps): ReactNode {
  const recorded = historyOf(collection);
  const { key } = opened;
  // Versions that are added later are no commit, after which a query would be read again.
  const additions = useEarlierVersions(collection);
  const query = useMemo(() => changesQuery(recorded, key, additions), [recorded, key, additions]);
  const changes = useQuery(liveOf(collection), query);
  const managed = useManagedVersions(opened);
  const shown = useShownTime();
  const entries = named(
    changes.filter(({ version }) => shown === undefined || version.time <= shown).flatMap(entriesOf),
  );
  const { oldest } = recorded;
  const object = collection.snapshot.get(key) ?? liveOf(collection).snapshot.get(key);
  const since = oldest?.time ?? Infinity;
  const begin = pastOf(collection)?.outline$.value.since ?? since;
  return (
    <section className="change-log" aria-label="Changes">
      {oldest !== undefined && (
        <p className="fine">
          Recorded since {clockText(oldest.time)}. Writers are known only since this tab was opened, because the page
          does not keep the managed fields of all objects. Changes within 0.1 s are shown as one.
          {begin < since && (
            <>
              {' '}
              <button
                type="button"
                className="action"
                onClick={() => {
                  keepAll(collection);
                }}
              >
                Read changes since {clockText(begin)}
              </button>
            </>
          )}
        </p>
      )}
      {entries.length === 0 && <p className="fine">Nothing has changed since then.</p>}
      <ol>
        {entries
          .slice(-most)
          .reverse()
          .map((entry) => (
            <LogEntry
              key={`${entry.version} ${entry.type}`}
              entry={entry}
              kind={singularOf(opened.resource)}
              managed={managed}
            />
          ))}
      </ol>
      {object !== undefined && begin >= since && (
        <BeforeRecording
          object={object}
          managed={[...managed.values()].at(-1) ?? []}
          until={Math.min(since, shown ?? Infinity)}
        />
      )}
    </section>
  );
}

/**
 * Reads the last ten minutes of what the shared worker has recorded. Returns a number that changes
 * when earlier versions were added.
 */
function useEarlierVersions(collection: Collection<KubernetesObject>): number {
  const [additions, setAdditions] = useState(0);
  useEffect(() => {
    const added = pastOf(collection)?.added$.subscribe(() => {
      setAdditions((count) => count + 1);
    });
    readBack(collection, Date.now() - keptLive.for).subscribe();
    return () => {
      added?.unsubscribe();
    };
  }, [collection]);
  return additions;
}

interface Entry {
  readonly version: number;
  readonly time: number;
  readonly type: 'updated' | 'created' | 'deleted' | 'replaced';
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
  readonly changes: readonly ObjectChange[];
}

function changesQuery(
  recorded: CollectionHistory<KubernetesObject>,
  key: string,
  _additions: number,
): Query<KubernetesObject, readonly VersionChanges<KubernetesObject>[]> {
  return {
    footprint: { type: 'keys', keys: [key] },
    // A commit is recorded before subscribers are notified.
    read: () => recorded.changesOf(key),
    isEqual: (a, b) => a.length === b.length && a.at(-1)?.version === b.at(-1)?.version,
  };
}

/** Marks a created object as a replacement if the previous object of its name was deleted. */
function named(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry, position) =>
    entry.type === 'created' && entries[position - 1]?.type === 'deleted' ? { ...entry, type: 'replaced' } : entry,
  );
}

/** Returns the entries of one version. Omits an update that changed only the resource version. */
function entriesOf({ version: { version, time }, changes }: VersionChanges<KubernetesObject>): readonly Entry[] {
  const [first, second] = changes;
  if (first === undefined) return [];
  const common = { version, time, before: undefined, after: undefined, changes: [] };
  if (second !== undefined) return [{ ...common, type: 'replaced' }];
  switch (first.type) {
    case 'added':
      return [{ ...common, type: 'created' }];
    case 'deleted':
      return [{ ...common, type: 'deleted' }];
    case 'updated': {
      const found = changesBetween(first.previous, first.object);
      if (found.length === 0) return [];
      return [{ ...common, type: 'updated', before: first.previous, after: first.object, changes: found }];
    }
  }
}

/**
 * Caches the differences between two objects. Objects are immutable, so their differences never
 * change.
 */
const compared = new WeakMap<object, { readonly before: object; readonly changes: readonly ObjectChange[] }>();

function changesBetween(before: object, after: object): readonly ObjectChange[] {
  const known = compared.get(after);
  if (known?.before === before) return known.changes;
  const changes = objectChanges(before, after);
  compared.set(after, { before, changes });
  return changes;
}

interface LogEntryProps {
  readonly entry: Entry;
  /** The kind in lower case: `pod`. */
  readonly kind: string;
  readonly managed: ManagedVersions;
}

function LogEntry({ entry, kind, managed }: LogEntryProps): ReactNode {
  const { time, type, changes } = entry;
  const ago = <Age since={new Date(time).toISOString()} />;
  return (
    <li className={type}>
      <p className="change-head">
        <button
          type="button"
          className="change-time"
          title="Show the page at this time"
          onClick={() => {
            showTime(time);
          }}
        >
          {clockText(time)}
        </button>{' '}
        {type !== 'replaced' && <span className="fine">{ago} ago</span>}
      </p>
      {type === 'replaced' && (
        <p>
          Replaced {ago} ago by a new {kind} of this name.
        </p>
      )}
      {type === 'created' && <p>Created.</p>}
      {type === 'deleted' && <p>Deleted.</p>}
      {byWriters(entry, managed).map(({ writers, changes: written }) => (
        <Fragment key={writers}>
          {writers !== '' && <p className="writers">{plainText(writers, 200)}</p>}
          <FieldChanges changes={written} />
        </Fragment>
      ))}
      {changes.length >= most && <p className="fine">Only the first {most} fields are shown.</p>}
    </li>
  );
}

/**
 * Groups the changes of one version by their writers. The name of the writers is empty if they are
 * not known.
 */
function byWriters(
  { before, after, changes }: Entry,
  managed: ManagedVersions,
): readonly { readonly writers: string; readonly changes: readonly ObjectChange[] }[] {
  const current = managed.get(after?.metadata?.resourceVersion ?? '');
  const previous = managed.get(before?.metadata?.resourceVersion ?? '');
  const groups = new Map<string, ObjectChange[]>();
  for (const change of changes) {
    const writers = current === undefined ? [] : writersOf(change.path, after, previous, current);
    const text = writers.map(writerText).join(', ');
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [change]);
    else group.push(change);
  }
  return [...groups].map(([writers, written]) => ({ writers, changes: written }));
}
