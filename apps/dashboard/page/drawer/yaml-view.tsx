import { memo, useDeferredValue, useMemo, useRef, useState, type ReactNode } from 'react';
import type { KubernetesObject } from 'rx-informers';
import type { ManagedFieldsEntry } from 'rx-informers/resources';
import type { Opened } from '../address/page-address.js';
import { go, usePageAddress } from '../address/use-page-address.js';
import { useManagedVersions } from '../history/managed-objects.js';
import { downloadText } from '../text/download.js';
import { Highlighted, matchesOf } from '../text/highlighted.js';
import { fileNameOf, plainText, sizeText } from '../text/text.js';
import { kubectlYaml, objectYaml, splitYamlLine } from './object-yaml.js';
import { pathsAround, visibleLines, yamlFolds } from './yaml-folds.js';

interface YamlTabProps {
  readonly opened: Opened;
  readonly object: KubernetesObject;
}

/** Renders an object as YAML that can be folded, searched, wrapped, copied and downloaded. */
export function YamlTab(props: YamlTabProps): ReactNode {
  const isManaged = usePageAddress().settings[managedSetting] === 'on';
  return isManaged ? <ManagedYaml {...props} /> : <Yaml object={props.object} />;
}

/**
 * Renders the YAML with the managed fields. A watch of the single object provides them, because the
 * informers of the page drop managed fields.
 */
function ManagedYaml({ opened, object }: YamlTabProps): ReactNode {
  const versions = useManagedVersions(opened);
  const { metadata } = object;
  const managedFields = versions.get(metadata?.resourceVersion ?? '') ?? [...versions.values()].at(-1) ?? none;
  const managed = useMemo(
    (): KubernetesObject =>
      managedFields.length === 0
        ? object
        : { ...object, metadata: Object.assign({ ...object.metadata }, { managedFields }) },
    [object, managedFields],
  );
  return <Yaml object={managed} />;
}

const none: readonly ManagedFieldsEntry[] = [];

function Yaml({ object }: { readonly object: KubernetesObject }): ReactNode {
  const [typed, setTyped] = useState('');
  const sought = useDeferredValue(typed.trim().toLowerCase());
  return (
    <section className="yaml-view" aria-label="YAML">
      <div className="yaml-actions">
        <input
          type="search"
          aria-label="Search in the YAML"
          placeholder="Search"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || typed === '') return;
            event.preventDefault();
            setTyped('');
          }}
        />
        <Switch setting={wrapSetting}>Wrap</Switch>
        <Switch setting={managedSetting}>Managed fields</Switch>
        <YamlActions object={object} />
      </div>
      <YamlText object={object} sought={sought} />
    </section>
  );
}

const wrapSetting = 'yaml.wrap';
const managedSetting = 'yaml.managed';

interface SwitchProps {
  /** The address parameter that stores the setting. */
  readonly setting: string;
  readonly children: string;
}

function Switch({ setting, children }: SwitchProps): ReactNode {
  const isOn = usePageAddress().settings[setting] === 'on';
  return (
    <button
      type="button"
      className="action"
      aria-pressed={isOn}
      onClick={() => {
        go(
          ({ settings: { [setting]: _, ...others } }) => ({
            settings: isOn ? others : { ...others, [setting]: 'on' },
          }),
          { replace: true },
        );
      }}
    >
      {children}
    </button>
  );
}

interface YamlTextProps {
  readonly object: object;
  /** The search text in lower case; `''` for no search. */
  readonly sought: string;
}

/** The parts that are folded at first, because the summary shows them. */
const foldedAtFirst: ReadonlySet<string> = new Set(['status']);

const YamlText = memo(function YamlText({ object, sought }: YamlTextProps): ReactNode {
  const { lines, cuts } = useMemo(() => objectYaml(object), [object]);
  const folds = useMemo(() => yamlFolds(lines), [lines]);
  const [folded, setFolded] = useState(foldedAtFirst);
  const [match, setMatch] = useState(0);
  const isWrapped = usePageAddress().settings[wrapSetting] === 'on';
  const code = useRef<HTMLDivElement>(null);
  const found = useMemo(
    () => (sought === '' ? [] : lines.flatMap((line, at) => (line.toLowerCase().includes(sought) ? [at] : []))),
    [lines, sought],
  );
  const current = found.length === 0 ? undefined : found[match % found.length];
  // A search result is visible, even in a folded part.
  const opened = new Set(current === undefined ? [] : pathsAround(current, folds));
  const visible = visibleLines(lines.length, folds, (path) => folded.has(path) && !opened.has(path));

  function show(next: number): void {
    const at = (next + found.length) % found.length;
    setMatch(at);
    requestAnimationFrame(() => {
      code.current?.querySelector('.current')?.scrollIntoView({ block: 'center' });
    });
  }

  return (
    <>
      {sought !== '' && (
        <p className="found">
          <span role="status">
            {found.length === 0 ? 'Not found' : `${(match % found.length) + 1} of ${found.length} lines`}
          </span>
          {found.length > 1 && (
            <>
              <button
                type="button"
                className="action"
                onClick={() => {
                  show(match - 1);
                }}
              >
                Previous
              </button>
              <button
                type="button"
                className="action"
                onClick={() => {
                  show(match + 1);
                }}
              >
                Next
              </button>
            </>
          )}
        </p>
      )}
      {cuts.length > 0 && (
        <ul className="notice cuts" aria-label="Not shown in full">
          {cuts.slice(0, 20).map(({ path, what }) => (
            <li key={path}>
              <code>{plainText(path, 200)}</code>: {what}
            </li>
          ))}
          {cuts.length > 20 && <li>and {cuts.length - 20} more</li>}
        </ul>
      )}
      <div
        ref={code}
        className={isWrapped ? 'yaml wrapped' : 'yaml'}
        tabIndex={0}
        role="region"
        aria-label="YAML of the object"
      >
        {visible.map((at) => {
          const fold = folds.get(at);
          const isFolded = fold !== undefined && folded.has(fold.path) && !opened.has(fold.path);
          return (
            <YamlLine
              key={at}
              line={lines[at] ?? ''}
              number={at + 1}
              path={fold?.path}
              isFolded={isFolded}
              hidden={isFolded ? fold.end - fold.start - 1 : 0}
              sought={sought}
              isCurrent={at === current}
              onFold={setFolded}
            />
          );
        })}
      </div>
    </>
  );
});

interface YamlLineProps {
  readonly line: string;
  readonly number: number;
  /** The path of the fold; `undefined` for a line that has nothing below it. */
  readonly path: string | undefined;
  readonly isFolded: boolean;
  /** The number of folded lines. */
  readonly hidden: number;
  readonly sought: string;
  readonly isCurrent: boolean;
  readonly onFold: (change: (folded: ReadonlySet<string>) => ReadonlySet<string>) => void;
}

const YamlLine = memo(function YamlLine(props: YamlLineProps): ReactNode {
  const { line, number, path, isFolded, hidden, sought, isCurrent, onFold } = props;
  const [key, value] = splitYamlLine(line);
  const matches = sought === '' ? [] : matchesOf(line, sought);
  return (
    <div className={isCurrent ? 'yaml-line current' : 'yaml-line'}>
      <span className="line-number" data-number={number} aria-hidden="true" />
      {path === undefined ? (
        <span className="no-fold" />
      ) : (
        <button
          type="button"
          className="fold"
          tabIndex={-1}
          aria-expanded={!isFolded}
          aria-label={`${isFolded ? 'Unfold' : 'Fold'} ${plainText(path, 120)}`}
          onClick={() => {
            onFold((folded) => {
              const next = new Set(folded);
              if (!next.delete(path)) next.add(path);
              return next;
            });
          }}
        >
          <span aria-hidden="true">{isFolded ? '▸' : '▾'}</span>
        </button>
      )}
      <code>
        {matches.length > 0 ? (
          <Highlighted text={line} matches={matches} />
        ) : (
          <>
            <span className="yaml-key">{key}</span>
            {value}
          </>
        )}
        {isFolded && <span className="fine"> … {hidden} lines</span>}
        {'\n'}
      </code>
    </div>
  );
});

/**
 * Renders the buttons that copy and download the whole object. Builds the text, which may be long,
 * only on a click.
 */
function YamlActions({ object }: { readonly object: KubernetesObject }): ReactNode {
  const [done, setDone] = useState('');
  const resourceVersion = object.metadata?.resourceVersion ?? '';

  async function copy(): Promise<void> {
    const text = kubectlYaml(object);
    try {
      await navigator.clipboard.writeText(text);
      setDone(`Copied: version ${resourceVersion}, ${sizeText(text.length)} characters.`);
    } catch {
      // The user denied the permission, or the browser has no clipboard for this page. It has one
      // only for pages over HTTPS or from this machine.
      setDone('Not copied: the browser does not let this page write to the clipboard. Download it instead.');
    }
  }

  function download(): void {
    const text = kubectlYaml(object);
    const fileName = fileNameOf(object);
    downloadText(text, fileName);
    setDone(`Downloaded as ${fileName}: version ${resourceVersion}, ${sizeText(text.length)} characters.`);
  }

  return (
    <>
      <button type="button" className="action" aria-label="Copy YAML" onClick={() => void copy()}>
        Copy
      </button>
      <button type="button" className="action" aria-label="Download YAML" onClick={download}>
        Download
      </button>
      <span className="fine" role="status">
        {done}
      </span>
    </>
  );
}
