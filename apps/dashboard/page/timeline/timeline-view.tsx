import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { deployments } from 'rx-informers';
import type { Labels } from 'rx-informers/resources';
import { toExternalStore, type ExternalStore } from 'rx-informers/views';
import { PageLink, usePageAddress } from '../address/use-page-address.js';
import { useLiveEvents, useLiveNodes, useLivePods } from '../cluster/informers.js';
import { PanelNotice } from '../cluster/panel-notice.js';
import { useIsNarrow } from '../frame/narrow.js';
import { useShownTime } from '../history/shown-time.js';
import { useLiveKind } from '../kinds/use-kind.js';
import { FilterBar } from '../pods/filter-bar.js';
import { PhaseDot } from '../pods/phase-dot.js';
import { labelPrefix, pairOf, splitPair, type PodFilter } from '../pods/pod-filter.js';
import { countText, plainText } from '../text/text.js';
import { typedTest } from '../text/typed.js';
import { timelineOf, type TimelineInputs } from './occurrences.js';
import { emptyLog, entriesAt, type Entry, type TimelineLog } from './timeline-log.js';

/**
 * Milliseconds for which the timeline keeps recording after the user leaves the view, so that
 * nothing is missing on return.
 */
const linger = 600_000;

const timelines = new WeakMap<object, ExternalStore<TimelineLog>>();

/**
 * Returns the timeline of a cluster. All components share one, which is created when it is first
 * shown.
 */
function timelineStore(inputs: TimelineInputs): ExternalStore<TimelineLog> {
  const store = timelines.get(inputs.pods) ?? toExternalStore(timelineOf(inputs), emptyLog, { linger });
  timelines.set(inputs.pods, store);
  return store;
}

/** Renders recent changes, newest first: Events, and transitions of the objects. */
export function TimelineView(): ReactNode {
  const pods = useLivePods();
  const nodes = useLiveNodes();
  const events = useLiveEvents();
  const ofDeployments = useLiveKind(deployments);
  const store = useMemo(
    () => timelineStore({ pods, nodes, deployments: ofDeployments, events }),
    [pods, nodes, ofDeployments, events],
  );
  const { entries } = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const { filter } = usePageAddress();
  const at = useShownTime();
  const isWanted = useMemo(() => conditionOf(filter), [filter]);
  const shown = useMemo(() => entriesAt(entries, at).filter(isWanted), [entries, isWanted, at]);
  return (
    <section className="panel timeline" aria-labelledby="timeline-title">
      <div className="panel-head">
        <h2 id="timeline-title">
          Timeline <span className="count">{countText(shown.length)}</span>
        </h2>
        <FilterBar fields="name, kind, what happened" />
      </div>
      <PanelNotice informer={events} what="events" />
      <TimelineList key={JSON.stringify(filter)} entries={shown} isPast={at !== undefined} />
    </section>
  );
}

/**
 * The heights of a row in CSS pixels. On a phone, a row has two lines. `style/timeline.css` has the
 * same values.
 */
const rowSize = 30;
const narrowRowSize = 52;

interface TimelineListProps {
  readonly entries: readonly Entry[];
  readonly isPast: boolean;
}

/**
 * Renders the lines. They stay still while the user points at them or has scrolled. New lines wait
 * above.
 */
function TimelineList({ entries, isPast }: TimelineListProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const size = useIsNarrow() ? narrowRowSize : rowSize;
  const [kept, setKept] = useState<readonly Entry[]>();
  const [isPointedAt, setPointedAt] = useState(false);
  // Lines of the past do not move by themselves, so they need not be held.
  const frozen = isPast ? undefined : kept;
  const shown = frozen ?? entries;
  const newest = shown.reduce((most, { sequence }) => Math.max(most, sequence), 0);
  const waiting = frozen === undefined ? 0 : entries.filter(({ sequence }) => sequence > newest).length;
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => size,
    overscan: 10,
    getItemKey: (index) => shown[index]?.sequence ?? index,
  });
  return (
    <div className="timeline-body">
      {waiting > 0 && (
        <button
          type="button"
          className="new-entries"
          onClick={() => {
            scroller.current?.scrollTo({ top: 0 });
            setKept(isPointedAt ? entries : undefined);
          }}
        >
          {countText(waiting)} new
        </button>
      )}
      <div
        ref={scroller}
        className="timeline-list"
        tabIndex={0}
        role="list"
        aria-label="Recent changes"
        onPointerEnter={({ pointerType }) => {
          if (pointerType !== 'mouse') return;
          setPointedAt(true);
          setKept(shown);
        }}
        onPointerLeave={({ currentTarget: { scrollTop } }) => {
          setPointedAt(false);
          if (scrollTop === 0) setKept(undefined);
        }}
        onScroll={({ currentTarget: { scrollTop } }) => {
          if (scrollTop > 0) setKept(shown);
          else if (!isPointedAt) setKept(undefined);
        }}
      >
        <div role="presentation" className="timeline-rows" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start, key }) => {
            const entry = shown[index];
            return entry === undefined ? null : <TimelineRow key={key} entry={entry} top={start} />;
          })}
        </div>
      </div>
      {shown.length === 0 && <p className="empty">Nothing has happened yet, or nothing matches the filter.</p>}
    </div>
  );
}

const phases = { trouble: 'failing', recovery: 'running', movement: 'succeeded' } as const;

function TimelineRow({ entry, top }: { readonly entry: Entry; readonly top: number }): ReactNode {
  const { time, tone, what, detail, object, count, objects, group } = entry;
  const isBurst = objects.length > 1;
  const { key } = object;
  const slash = key.indexOf('/');
  const name = isBurst ? group.slice(group.lastIndexOf('/') + 1) : key.slice(slash + 1);
  return (
    <div role="listitem" className={`timeline-row ${tone}`} style={{ transform: `translateY(${top}px)` }}>
      <time dateTime={new Date(time).toISOString()}>{clock.format(time)}</time>
      <PhaseDot phase={phases[tone]} />
      <span className="what">
        {plainText(what, 60)}
        {count > 1 && <span className="times"> ×{countText(count)}</span>}
      </span>
      <span className="object" title={plainText(objects.map(({ key }) => key).join(', '), 2000)}>
        <PageLink to={{ opened: { resource: object.resource, key: object.key } }}>{plainText(name)}</PageLink>{' '}
        <span className="fine">
          {isBurst ? `${objects.length} ${plainText(object.kind)}s` : plainText(object.kind)}
          {slash > 0 && ` · ${plainText(key.slice(0, slash))}`}
        </span>
      </span>
      <span className="detail" title={plainText(detail ?? '')}>
        {plainText(detail ?? '')}
      </span>
    </div>
  );
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Returns the condition of a filter: the facets of pods, and the typed words. */
function conditionOf({ chosen, text }: PodFilter): (entry: Entry) => boolean {
  const facets = Object.entries(chosen).map(([facet, values]) => values.map((value) => pairOf(facet, value)));
  const isTyped = typedTest(text);
  return ({ pairs, what, detail = '', object, group }) =>
    facets.every((wanted) => wanted.some((pair) => pairs.includes(pair))) &&
    isTyped?.(() => `${what} ${detail} ${object.kind} ${object.key} ${group}`, labelsIn(pairs)) !== false;
}

/** Returns the labels among the facets of an entry. Only pods have some. */
function labelsIn(pairs: readonly string[]): Labels {
  const labels = pairs.map(splitPair).filter(([facet]) => facet.startsWith(labelPrefix));
  return Object.fromEntries(labels.map(([facet, value]) => [facet.slice(labelPrefix.length), value]));
}
