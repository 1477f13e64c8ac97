import { lazy, Suspense, type ReactNode } from 'react';
import type { KubernetesObject } from 'rx-informers';
import { Age } from '../text/age.js';
import { deletionOf } from '../text/deletion.js';
import { plainText } from '../text/text.js';
import { verdictsFor, type Verdict } from './condition-verdict.js';
import { Conditions, createdAt, Facts, Labels, type Condition } from './facts.js';

const PrinterColumns = lazy(async () => ({ default: (await import('./printer-columns.js')).PrinterColumns }));

interface AnySummaryProps {
  /** The resource as the path of the API names it: `apps/v1/deployments`. */
  readonly resource: string;
  readonly object: KubernetesObject;
  /** The section with the related objects. */
  readonly related: ReactNode;
}

/**
 * Renders the summary of an object of any other kind: its conditions, and the plain values of its
 * spec and status.
 */
export function AnySummary({ resource, object, related }: AnySummaryProps): ReactNode {
  const { metadata } = object;
  const { spec, status, type, ...others } = object as unknown as Readonly<Record<string, unknown>>;
  const conditions = conditionsOf(status);
  const verdictOf = verdictsFor(resource);
  const statusFacts = plainFacts(status);
  const ofStatus = new Set(statusFacts.map(([name]) => name));
  return (
    <>
      <ConditionStory conditions={conditions} verdictOf={verdictOf} isLeaving={deletionOf(object) !== undefined} />
      {related}
      <Suspense fallback={null}>
        <PrinterColumns resource={resource} object={object} />
      </Suspense>
      <Facts
        facts={[
          ...statusFacts,
          ...plainFacts(spec).map(([name, text]) => [ofStatus.has(name) ? `${name} (spec)` : name, text] as const),
          ...(typeof type === 'string' ? [['Type', type] as const] : []),
          ...keyFacts(others),
          [
            'Created',
            <>
              <Age since={createdAt(object)} /> ago
            </>,
          ],
        ]}
      />
      <Conditions conditions={conditions} verdictOf={verdictOf} />
      <Labels labels={metadata?.labels} />
    </>
  );
}

interface ConditionStoryProps {
  readonly conditions: readonly Condition[];
  readonly verdictOf: (condition: Condition) => Verdict;
  /** Whether the object is being deleted. Then good conditions do not make it healthy. */
  readonly isLeaving: boolean;
}

/**
 * Renders the conditions in one line: the bad ones with their messages, otherwise the good ones,
 * otherwise each with its status.
 */
function ConditionStory({ conditions, verdictOf, isLeaving }: ConditionStoryProps): ReactNode {
  if (conditions.length === 0) return null;
  const bad = conditions.filter((condition) => verdictOf(condition) === 'bad');
  const good = conditions.filter((condition) => verdictOf(condition) === 'good');
  const words =
    bad.length > 0
      ? bad.map(({ type, status, reason }) => reason || `${type} is ${status.toLowerCase()}`)
      : good.length > 0
        ? good.map(({ type, status }) => (status === 'True' ? type : `${type}: ${status}`))
        : conditions.map(({ type, status }) => `${type}: ${status}`);
  const tone = bad.length > 0 ? ' warning' : good.length > 0 && !isLeaving ? ' ok' : '';
  return (
    <div className={`story${tone}`}>
      <p className="headline">{plainText([...new Set(words)].join(', '), 300)}</p>
      {bad
        .filter(({ message }) => message !== undefined && message !== '')
        .map(({ type, message }) => (
          <p key={type}>{plainText(message ?? '', 600)}</p>
        ))}
    </div>
  );
}

function conditionsOf(status: unknown): readonly Condition[] {
  const conditions = recordOf(status)['conditions'];
  if (!Array.isArray(conditions)) return [];
  return conditions.filter(
    (condition): condition is Condition =>
      typeof recordOf(condition)['type'] === 'string' && typeof recordOf(condition)['status'] === 'string',
  );
}

const most = 14;

/** Returns the values that fit on one line. Joins the items of a list of strings. */
function plainFacts(part: unknown): readonly (readonly [string, string])[] {
  return Object.entries(recordOf(part))
    .flatMap(([name, value]) => {
      const text = textOf(value);
      return text === undefined ? [] : [[wordsOf(name), text] as const];
    })
    .slice(0, most);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string'))
    return value.join(', ');
  return portsOf(value) ?? pairsOf(value);
}

/** Returns the ports of a Service as text: `80 → 8080/TCP`. */
function portsOf(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const ports = value.map((item) => {
    const { port, targetPort, protocol } = recordOf(item);
    if (typeof port !== 'number') return undefined;
    const target = typeof targetPort === 'number' || typeof targetPort === 'string' ? ` → ${targetPort}` : '';
    return `${port}${target}${typeof protocol === 'string' ? `/${protocol}` : ''}`;
  });
  return ports.every((port) => port !== undefined) ? ports.join(', ') : undefined;
}

/** Returns a small map, such as a selector, as text: `app=web, tier=front`. */
function pairsOf(value: unknown): string | undefined {
  const inner = recordOf(recordOf(value)['matchLabels'] ?? value);
  const pairs = Object.entries(inner);
  const isPlain = pairs.length > 0 && pairs.length <= 6 && pairs.every(([, item]) => typeof item === 'string');
  return isPlain ? pairs.map(([name, item]) => `${name}=${String(item)}`).join(', ') : undefined;
}

/** Returns the names of the entries of a ConfigMap or a Secret. */
function keyFacts(others: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return ['data', 'binaryData'].flatMap((part) => {
    const names = Object.keys(recordOf(others[part]));
    return names.length === 0 ? [] : [[wordsOf(part), names.join(', ')] as const];
  });
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/**
 * Returns the name of a field as words: `Available replicas` for `availableReplicas`. Keeps
 * abbreviations.
 */
function wordsOf(name: string): string {
  const words = name.replace(
    /([a-z\d])([A-Z][a-z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  );
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
