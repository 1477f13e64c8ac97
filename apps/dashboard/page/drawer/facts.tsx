import type { ReactNode } from 'react';
import type { KubernetesObject } from 'rx-informers';
import { PageLink } from '../address/use-page-address.js';
import { toggled } from '../pods/pod-filter.js';
import { Age } from '../text/age.js';
import { plainText } from '../text/text.js';
import type { Verdict } from './condition-verdict.js';

interface SectionProps {
  readonly title: string;
  readonly count?: number;
  readonly children: ReactNode;
}

/** Renders a part of the summary with its title. */
export function Section({ title, count, children }: SectionProps): ReactNode {
  return (
    <section className="drawer-section" aria-label={title}>
      <h3>
        {title} {count !== undefined && <span className="count">{count}</span>}
      </h3>
      {children}
    </section>
  );
}

/**
 * Renders a list of names and values. Omits names without a value. Several facts may have one name.
 */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}): ReactNode {
  const known = facts.filter(([, value]) => value !== undefined && value !== '' && value !== false);
  if (known.length === 0) return null;
  return (
    <dl className="facts">
      {known.map(([name, value], at) => (
        <div key={at}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? plainText(value) : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A condition of any kind of object. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: unknown;
}

interface ConditionsProps {
  readonly conditions: readonly Condition[];
  readonly verdictOf: (condition: Condition) => Verdict;
}

const worstFirst: readonly Verdict[] = ['bad', 'neutral', 'good'];

/**
 * Renders conditions with their status and message, the bad ones first. Conditions of unknown
 * meaning are grey.
 */
export function Conditions({ conditions, verdictOf }: ConditionsProps): ReactNode {
  if (conditions.length === 0) return null;
  const rankOf = (condition: Condition): number => worstFirst.indexOf(verdictOf(condition));
  return (
    <Section title="Conditions">
      <ul className="conditions">
        {conditions
          .toSorted((a, b) => rankOf(a) - rankOf(b))
          .map((condition) => {
            const { type, status, lastTransitionTime } = condition;
            const verdict = verdictOf(condition);
            const words = wordsOf(condition, verdict);
            return (
              <li key={type} className={verdict}>
                <span className="mark" aria-hidden="true" />
                <span className="condition-type">
                  {plainText(type, 80)}
                  {!(verdict === 'good' && status === 'True') && <span className="fine"> {plainText(status, 20)}</span>}
                </span>{' '}
                <span className="fine condition-age">
                  {typeof lastTransitionTime === 'string' && <Age since={lastTransitionTime} />}
                </span>
                {words !== '' && <span className="condition-message">{plainText(words, 600)}</span>}
              </li>
            );
          })}
      </ul>
    </Section>
  );
}

/** Returns the reason and the message. Omits the reason of a good condition without a message. */
function wordsOf({ reason, message }: Condition, verdict: Verdict): string {
  return verdict === 'good' && !message ? '' : [reason, message].filter(Boolean).join(': ');
}

interface LabelsProps {
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Whether labels are links that filter the pods. Labels of other kinds are text. */
  readonly areLinks?: boolean;
}

/** Renders labels. A label of a pod is a link to all pods with this label. */
export function Labels({ labels = {}, areLinks = false }: LabelsProps): ReactNode {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return (
    <Section title="Labels" count={entries.length}>
      <ul className="labels">
        {entries.map(([name, value]) => {
          const text = (
            <>
              <span className="fine">{plainText(shortLabel(name), 80)}</span> {plainText(value, 80)}
            </>
          );
          return (
            <li key={name} title={plainText(`${name}=${value}`)}>
              {areLinks ? (
                <PageLink
                  className="label"
                  to={({ filter }) => ({
                    view: 'pods',
                    filter: toggled(filter, `label.${name}`, value),
                  })}
                >
                  {text}
                </PageLink>
              ) : (
                <span className="label">{text}</span>
              )}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** Returns the name of a label without its domain. */
export function shortLabel(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Returns when the API server created an object of any kind. */
export function createdAt({ metadata }: KubernetesObject): string | undefined {
  const { creationTimestamp } = (metadata ?? {}) as { readonly creationTimestamp?: unknown };
  return typeof creationTimestamp === 'string' ? creationTimestamp : undefined;
}
