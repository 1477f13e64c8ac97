import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { Highlighted, matchesOf } from '../text/highlighted.js';
import { plainText } from '../text/text.js';
import type { LogLine } from './log-ring.js';

interface LogListProps {
  readonly lines: readonly LogLine[];
  /** Returns the name before a line; `undefined` if all lines come from one pod. */
  readonly nameOf: ((source: string) => { readonly name: string; readonly colour: number }) | undefined;
  readonly times: boolean;
  readonly wrap: boolean;
  /** The search text in lower case. */
  readonly sought: string;
}

export const lineHeight = 18;
/** A scroll position within this many pixels of the end counts as the end. */
const nearEnd = 24;

/**
 * Renders the lines of logs, drawing only the visible ones. The list stays at its end until the
 * user scrolls up.
 */
export function LogList({ lines, nameOf, times, wrap, sought }: LogListProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const firstShown = useRef<number>(undefined);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    getItemKey: (index) => lines[index]?.id ?? index,
    overscan: 12,
  });

  const first = lines[0]?.id;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const gone = firstShown.current === undefined || first === undefined ? 0 : first - firstShown.current;
    firstShown.current = first;
    if (isAtEnd) element.scrollTop = element.scrollHeight;
    // Visible lines keep their position while lines are removed at the beginning.
    else if (gone > 0 && sought === '') element.scrollTop -= gone * lineHeight;
  }, [first, lines.length, isAtEnd, wrap, sought]);

  return (
    <div className="log-frame">
      <div
        ref={scroller}
        className={wrap ? 'log-lines wrapped' : 'log-lines'}
        role="log"
        aria-live="off"
        aria-label="Log"
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          setAtEnd(scrollTop + clientHeight >= scrollHeight - nearEnd);
        }}
      >
        <div className="log-all" style={{ blockSize: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ key, index, start }) => {
            const line = lines[index];
            if (!line) return null;
            return (
              <div
                key={key}
                ref={wrap ? virtualizer.measureElement : undefined}
                data-index={index}
                className="log-place"
                style={{ transform: `translateY(${start}px)` }}
              >
                <Line line={line} name={nameOf?.(line.source)} times={times} sought={sought} />
              </div>
            );
          })}
        </div>
      </div>
      {!isAtEnd && (
        <button
          type="button"
          className="action log-to-end"
          onClick={() => {
            setAtEnd(true);
          }}
        >
          To the end ↓
        </button>
      )}
    </div>
  );
}

interface LineProps {
  readonly line: LogLine;
  readonly name: { readonly name: string; readonly colour: number } | undefined;
  readonly times: boolean;
  readonly sought: string;
}

const Line = memo(
  function Line({ line, name, times, sought }: LineProps): ReactNode {
    const text = plainText(line.text, 8001);
    const matches = sought === '' ? [] : matchesOf(text, sought);
    return (
      <div className="log-line">
        {times && line.time !== undefined && (
          <time className="log-time">{line.time.slice(11, 23).replace('Z', '')}</time>
        )}
        {name && (
          <span className={`log-name series-${name.colour}`} title={plainText(line.source)}>
            {name.name}
          </span>
        )}
        <span className="log-text">{matches.length > 0 ? <Highlighted text={text} matches={matches} /> : text}</span>
      </div>
    );
  },
  (a, b) =>
    a.line === b.line &&
    a.times === b.times &&
    a.sought === b.sought &&
    a.name?.name === b.name?.name &&
    a.name?.colour === b.name?.colour,
);
