import { useEffect, useMemo, useState, useSyncExternalStore, type KeyboardEvent, type ReactNode } from 'react';
import type { Collection, Pod } from 'rx-informers';
import type { CollectionHistory, HistoryOutage } from 'rx-informers/history';
import { toExternalStore } from 'rx-informers/views';
import { EMPTY, exhaustMap, timer } from 'rxjs';
import { useLiveEvents, useLiveNodes, useLivePods } from '../cluster/informers.js';
import { useIsLost } from '../cluster/use-health.js';
import { useLiveSecond } from '../text/age.js';
import { plainText } from '../text/text.js';
import { marksOf, type Mark } from './marks.js';
import type { PastOutline } from './past-text.js';
import { usePlayer, type Player } from './play.js';
import { historyOf, pastOf } from './recordings.js';
import { showTime, useShownTime } from './shown-time.js';
import {
  agoText,
  axisOf,
  changesOver,
  clockText,
  densityOf,
  densityPath,
  outagePlaces,
  placeOf,
  stateAsOf,
  thinnedPlaces,
  ticksPath,
  timeAfterKey,
  timeAt,
  type Axis,
} from './time-line.js';

/** The number of columns into which the time line is divided to draw its changes. */
const columns = 150;

const noMarks: readonly Mark[] = [];

/**
 * Renders the foot of the page: the number of changes in the last hour, the warnings and
 * failures, and the time that the whole page shows. Records while it is mounted.
 */
export function TimeBar(): ReactNode {
  const pods = useLivePods();
  const nodes = useLiveNodes();
  const events = useLiveEvents();
  const recorded = historyOf(pods);
  useEffect(() => {
    const connections = [historyOf(pods), historyOf(nodes), historyOf(events)].map((history) => history.connect());
    return () => {
      for (const connection of connections) connection.unsubscribe();
    };
  }, [pods, nodes, events]);
  const marks$ = useMemo(() => toExternalStore(marksOf(pods, nodes, events), noMarks), [pods, nodes, events]);
  const marks = useSyncExternalStore(marks$.subscribe, marks$.getSnapshot);
  const now = useLiveSecond(identity);
  const shown = useShownTime();
  const outline = useOutline(pods);
  const isLost = useIsLost(pods, nodes);
  const [frozen, setFrozen] = useState<Axis>();
  const oldest = recorded.oldest?.time ?? now;
  const axis = frozen ?? axisOf(Math.min(oldest, outline.since ?? oldest), now);
  const player = usePlayer(axis.recordedFrom);
  // The address may name a time that was not recorded.
  const visible = shown === undefined ? undefined : Math.max(shown, axis.recordedFrom);
  const histories = [recorded, historyOf(nodes), historyOf(events)];
  const asOf =
    visible === undefined
      ? undefined
      : stateAsOf(
          visible,
          histories.map((each) => each.asOf(visible)),
        );
  const isThinned = visible !== undefined && recorded.versionAt(visible)?.isThinned === true;
  const asOfText =
    visible !== undefined && visible < oldest
      ? 'loading'
      : asOf !== undefined
        ? `state as of ${clockText(asOf)}`
        : isThinned
          ? 'changes joined to save memory'
          : '';
  const isBefore = shown !== undefined && shown < axis.recordedFrom - 1_000;

  return (
    <section className={`time-bar${shown === undefined ? '' : ' past'}${isLost ? ' lost' : ''}`} aria-label="Time">
      <Controls recorded={recorded} since={axis.recordedFrom} shown={visible} player={player} />
      <div className="time-line">
        <Density
          recorded={recorded}
          outline={outline}
          outages={histories.flatMap(({ outages }) => outages)}
          axis={axis}
          marks={marks}
        />
        <input
          type="range"
          aria-label="Time shown"
          aria-valuetext={
            visible === undefined
              ? isLost
                ? 'not live'
                : 'live'
              : [clockText(visible), agoText(visible, now), ...(asOfText ? [asOfText] : [])].join(', ')
          }
          min={Math.floor(axis.from)}
          max={Math.floor(axis.until)}
          step={1}
          value={visible ?? Math.floor(axis.until)}
          onChange={({ currentTarget }) => {
            player.pause();
            showTime(timeAt(Number(currentTarget.value), axis));
          }}
          onPointerDown={() => {
            setFrozen(axis);
          }}
          onPointerUp={() => {
            setFrozen(undefined);
          }}
          onPointerCancel={() => {
            setFrozen(undefined);
          }}
          onKeyDown={(event) => {
            onKey(event, visible, axis, marks, player);
          }}
        />
      </div>
      <p className="time-text">
        {visible === undefined ? (
          <>
            <strong>{isLost ? 'Not live' : 'Live'}</strong> <span className="fine">{clockText(now)}</span>
          </>
        ) : (
          <>
            <strong>{clockText(visible)}</strong> <span className="fine">{agoText(visible, now)}</span>
          </>
        )}
      </p>
      <button
        type="button"
        className="action back-to-live"
        disabled={visible === undefined}
        onClick={() => {
          player.pause();
          showTime(undefined);
        }}
      >
        Back to live
      </button>
      {visible !== undefined && (
        <PastFrame
          time={visible}
          requested={isBefore ? shown : undefined}
          since={axis.recordedFrom}
          now={now}
          asOf={asOfText}
          marks={marks}
        />
      )}
    </section>
  );
}

/** Milliseconds after which the outline of what the worker has recorded is read again. */
const outlinePace = 10_000;

const noOutline: PastOutline = { since: undefined, spans: [] };

/** Returns the number of changes over time that the shared worker has recorded. */
function useOutline(collection: Collection<Pod>): PastOutline {
  const past = pastOf(collection);
  const store = useMemo(() => toExternalStore(past?.outline$ ?? EMPTY, noOutline), [past]);
  useEffect(() => {
    const reading = timer(0, outlinePace)
      .pipe(exhaustMap(() => past?.readOutline() ?? EMPTY))
      .subscribe();
    return () => {
      reading.unsubscribe();
    };
  }, [past]);
  return useSyncExternalStore(store.subscribe, store.getSnapshot);
}

function identity(now: number): number {
  return now;
}

function onKey(
  event: KeyboardEvent,
  shown: number | undefined,
  axis: Axis,
  marks: readonly Mark[],
  player: Player,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === ' ') {
    event.preventDefault();
    player.toggle();
    return;
  }
  const moved = timeAfterKey(event, shown, axis, marks);
  if (moved === undefined) return;
  event.preventDefault();
  player.pause();
  showTime(moved.time);
}

interface ControlsProps {
  readonly recorded: CollectionHistory<unknown>;
  /** When the recording began, in this tab or in the shared worker. */
  readonly since: number;
  readonly shown: number | undefined;
  readonly player: Player;
}

/** Renders the controls: the previous change, freeze or play, and the next change. */
function Controls({ recorded, since, shown, player }: ControlsProps): ReactNode {
  const { isPlaying, toggle, pause } = player;
  const isMoving = isPlaying || shown === undefined;
  const step = (direction: 1 | -1): void => {
    pause();
    showTime(adjacentVersion(recorded, since, shown, direction));
  };
  return (
    <div className="time-controls">
      <button
        type="button"
        className="action"
        aria-label="Previous change"
        title="Previous change"
        onClick={() => {
          step(-1);
        }}
      >
        <Symbol path="M11 3 5 8l6 5zM4 3H3v10h1z" />
      </button>
      <button
        type="button"
        className="action"
        aria-label={shown === undefined ? 'Freeze the page at this time' : isPlaying ? 'Pause' : 'Play'}
        title={shown === undefined ? 'Freeze the page at this time' : isPlaying ? 'Pause' : 'Play, ten times as fast'}
        onClick={toggle}
      >
        <Symbol path={isMoving ? 'M4 3h3v10H4zM9 3h3v10H9z' : 'M4 2.5 13 8l-9 5.5z'} />
      </button>
      <button
        type="button"
        className="action"
        aria-label="Next change"
        title="Next change"
        disabled={shown === undefined}
        onClick={() => {
          step(1);
        }}
      >
        <Symbol path="M5 3l6 5-6 5zM12 3h1v10h-1z" />
      </button>
    </div>
  );
}

/**
 * Returns the time of the previous or the next version. Returns `undefined`, which means live,
 * after the last version.
 */
function adjacentVersion(
  recorded: CollectionHistory<unknown>,
  since: number,
  shown: number | undefined,
  direction: 1 | -1,
): number | undefined {
  const { versions } = recorded;
  if (direction === 1) return versions.find(({ time }) => shown !== undefined && time > shown)?.time;
  // The shown version began at or before the shown time, so an earlier version began before that
  // time.
  const at = shown ?? Infinity;
  const previous = versions.findLast(({ time }) => time < at);
  const oldest = versions[0]?.time;
  if (previous !== undefined || oldest === undefined) return previous?.time;
  // The worker has earlier versions, which are read when the page shows their time.
  return Math.max(since, Math.min(oldest, at) - 1);
}

function Symbol({ path }: { readonly path: string }): ReactNode {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={path} fill="currentColor" />
    </svg>
  );
}

interface DensityProps {
  readonly recorded: CollectionHistory<unknown>;
  readonly outline: PastOutline;
  readonly outages: readonly HistoryOutage[];
  readonly axis: Axis;
  readonly marks: readonly Mark[];
}

/**
 * Renders the number of changes as an outline. Warnings and failures are ticks on it. The ticks of
 * failing pods are longer than those of warnings, and the ticks of failing nodes are the longest.
 * Outages, in which nothing was recorded, are hatched. A line at the top marks times whose changes
 * were joined to save memory.
 */
function Density({ recorded, outline, outages, axis, marks }: DensityProps): ReactNode {
  const timesOf = (tone: Mark['tone']): readonly number[] =>
    marks.filter((mark) => mark.tone === tone).map(({ time }) => time);
  return (
    <div className="density" aria-hidden="true">
      <svg viewBox={`0 0 ${columns} 100`} preserveAspectRatio="none">
        <path className="updates" d={densityPath(densityOf(changesOver(outline, recorded.versions), axis, columns))} />
      </svg>
      {outagePlaces(outages, axis).map(({ left, width }, index) => (
        <span key={index} className="outage" style={{ left: `${left * 100}%`, width: `${width * 100}%` }} />
      ))}
      {thinnedPlaces(outline, axis).map(({ left, width }, index) => (
        <span key={index} className="thinned" style={{ left: `${left * 100}%`, width: `${width * 100}%` }} />
      ))}
      <svg viewBox="0 0 1000 100" preserveAspectRatio="none">
        <rect className="unrecorded" x="0" y="0" height="100" width={placeOf(axis.recordedFrom, axis) * 1_000} />
        <path className="tick warning" d={ticksPath(timesOf('warning'), axis, 'bottom')} />
        <path className="tick failing" d={ticksPath(timesOf('failing'), axis, 'top')} />
        <path className="tick node" d={ticksPath(timesOf('node'), axis, 'top')} />
      </svg>
    </div>
  );
}

interface PastFrameProps {
  readonly time: number;
  readonly now: number;
  /** The time that the address names, if it was not recorded. */
  readonly requested: number | undefined;
  /** When the recording began. */
  readonly since: number;
  /** Of which time the state is, in words; empty if it is the state of the shown time. */
  readonly asOf: string;
  readonly marks: readonly Mark[];
}

/**
 * Renders a frame around the whole page with the time, so that the past cannot be mistaken for the
 * present.
 */
function PastFrame({ time, requested, since, now, asOf, marks }: PastFrameProps): ReactNode {
  const mark = marks.findLast((each) => each.time <= time && each.time > time - 1_500);
  return (
    <div className="past-frame">
      <p className="past-label">
        Past · <strong>{clockText(time)}</strong> · {agoText(time, now)}
        {asOf && ` · ${asOf}`}
        {requested !== undefined && (
          <>
            {` · the link shows ${new Date(requested).toLocaleString()}, but recording began at ${clockText(since)} · `}
            <button
              type="button"
              className="past-leave"
              onClick={() => {
                showTime(undefined);
              }}
            >
              Go on live
            </button>
          </>
        )}
        {mark && ` · ${plainText(mark.text, 80)}`}
      </p>
      <p className="visually-hidden" role="status">
        The page shows the past.
      </p>
    </div>
  );
}
