import { useDeferredValue, useMemo, useState, type ReactNode } from 'react';
import { downloadText } from '../text/download.js';
import type { FollowedLogs } from './followed-logs.js';
import { LogList } from './log-list.js';
import { setLogSetting, tails, useLogSettings } from './log-settings.js';

interface LogPanelProps {
  readonly logs: FollowedLogs;
  readonly containers: readonly string[];
  /** The title if no container is chosen. */
  readonly mainTitle: string;
  readonly nameOf?: (source: string) => { readonly name: string; readonly colour: number };
  readonly fileName: string;
  /** The text if there are no lines. */
  readonly empty: string;
}

/** Renders lines of logs with all their settings. */
export function LogPanel({ logs, containers, mainTitle, nameOf, fileName, empty }: LogPanelProps): ReactNode {
  const settings = useLogSettings();
  const [shownLogs, setShownLogs] = useState<FollowedLogs>();
  const [clearedAt, setClearedAt] = useState(0);
  // The logs were read again, so their lines are counted from 0 again.
  if (shownLogs !== undefined && logs.ring.next < shownLogs.ring.next) setShownLogs(undefined);
  if (logs.ring.next < clearedAt) setClearedAt(0);
  const sought = useDeferredValue(settings.find.trim().toLowerCase());
  const { ring } = shownLogs ?? logs;
  const lines = useMemo(() => {
    const kept = clearedAt === 0 ? ring.lines : ring.lines.filter(({ id }) => id >= clearedAt);
    return settings.only && sought !== '' ? kept.filter(({ text }) => text.toLowerCase().includes(sought)) : kept;
  }, [ring, clearedAt, settings.only, sought]);
  const found = useMemo(
    () => (sought === '' ? 0 : lines.filter(({ text }) => text.toLowerCase().includes(sought)).length),
    [lines, sought],
  );
  const missed = shownLogs ? logs.ring.next - shownLogs.ring.next : 0;

  return (
    <>
      <div className="log-tools" role="toolbar" aria-label="Logs">
        <button
          type="button"
          className="action"
          aria-pressed={shownLogs !== undefined}
          onClick={() => {
            setShownLogs(shownLogs ? undefined : logs);
          }}
        >
          {shownLogs ? `Resume${missed > 0 ? ` (${missed} new)` : ''}` : 'Pause'}
        </button>
        <input
          type="search"
          aria-label="Search in the logs"
          placeholder="Search"
          spellCheck={false}
          value={settings.find}
          onChange={({ target }) => {
            setLogSetting('find', target.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || settings.find === '') return;
            event.preventDefault();
            setLogSetting('find', '');
          }}
        />
        {sought !== '' && (
          <>
            <span className="fine" role="status">
              {found} {found === 1 ? 'line' : 'lines'}
            </span>
            <Switch name="only" title="Only matches" isOn={settings.only} />
          </>
        )}
        {containers.length > 1 && (
          <select
            aria-label="Container"
            value={settings.container}
            onChange={({ target }) => {
              setLogSetting('container', target.value);
            }}
          >
            <option value="">{mainTitle}</option>
            {containers.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
        <select
          aria-label="Earlier lines"
          value={settings.tail}
          onChange={({ target }) => {
            setLogSetting('tail', target.value);
          }}
        >
          {tails.map((tail) => (
            <option key={tail} value={tail}>
              last {tail}
            </option>
          ))}
        </select>
        <Switch
          name="previous"
          title="Previous"
          isOn={settings.previous}
          hint="The log of the container before its last restart"
        />
        <Switch name="times" title="Times" isOn={settings.times} />
        <Switch name="wrap" title="Wrap" isOn={settings.wrap} />
        <button
          type="button"
          className="action"
          onClick={() => {
            setClearedAt(ring.next);
          }}
        >
          Clear
        </button>
        <button
          type="button"
          className="action"
          onClick={() => {
            const text = lines.map((line) => [line.time, nameOf && line.source, line.text].filter(Boolean).join(' '));
            downloadText(`${text.join('\n')}\n`, fileName, 'text/plain');
          }}
        >
          Download
        </button>
      </div>
      {ring.dropped > 0 && (
        <p className="fine log-dropped">
          The first {ring.dropped} lines were dropped: the page keeps the last {ring.lines.length}.
        </p>
      )}
      {lines.length === 0 && <p className="empty">{sought !== '' && settings.only ? 'No line matches.' : empty}</p>}
      <LogList lines={lines} nameOf={nameOf} times={settings.times} wrap={settings.wrap} sought={sought} />
    </>
  );
}

interface SwitchProps {
  readonly name: 'previous' | 'times' | 'wrap' | 'only';
  readonly title: string;
  readonly isOn: boolean;
  readonly hint?: string;
}

function Switch({ name, title, isOn, hint }: SwitchProps): ReactNode {
  return (
    <button
      type="button"
      className="action"
      aria-pressed={isOn}
      title={hint}
      onClick={() => {
        setLogSetting(name, isOn ? '' : 'on');
      }}
    >
      {title}
    </button>
  );
}
