import { useCallback, useState, type ReactNode } from 'react';
import type { KubernetesObject } from 'rx-informers';
import { requestJson } from 'rx-informers/requests';
import { useCluster, useClusterInfo } from '../cluster/cluster.js';
import { useIsPast } from '../history/shown-time.js';
import { useRequest } from '../kinds/use-request.js';
import { plainLines, plainText, sizeText } from '../text/text.js';
import { Section } from './facts.js';

/**
 * Renders the keys of a Secret, and each value after a click. Renders nothing if the server does
 * not forward the content of Secrets, and while the page shows the past.
 *
 * The content is requested only while this is shown. The informers, the history and the other tabs
 * have only the metadata of Secrets.
 */
export function SecretData({ object }: { readonly object: KubernetesObject }): ReactNode {
  const { secrets } = useClusterInfo();
  const isPast = useIsPast();
  return secrets && !isPast ? <SecretKeys object={object} /> : null;
}

function SecretKeys({ object }: { readonly object: KubernetesObject }): ReactNode {
  const { client } = useCluster();
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
  const request = useCallback(() => {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
    return requestJson<unknown>(client, { method: 'GET', path, query: { resourceVersion } });
  }, [client, namespace, name, resourceVersion]);
  const { value, error } = useRequest(request);
  if (error !== undefined) return <p className="fine">The content of the Secret cannot be read.</p>;
  const entries = Object.entries(dataOf(value));
  return (
    <Section title="Data" count={entries.length}>
      <ul className="secret-keys">
        {entries.map(([key, encoded]) => (
          // Another version of the Secret hides its values again.
          <SecretValue key={`${uid} ${resourceVersion} ${key}`} name={key} encoded={encoded} />
        ))}
      </ul>
    </Section>
  );
}

interface SecretValueProps {
  readonly name: string;
  /** The value in base64. */
  readonly encoded: string;
}

function SecretValue({ name, encoded }: SecretValueProps): ReactNode {
  const [isShown, setShown] = useState(false);
  return (
    <li>
      <span className="secret-key">{plainText(name)}</span>{' '}
      <button
        type="button"
        className="action"
        aria-expanded={isShown}
        aria-label={`${isShown ? 'Hide' : 'Show'} the value of ${plainText(name)}`}
        onClick={() => {
          setShown(!isShown);
        }}
      >
        {isShown ? 'Hide' : 'Show'}
      </button>
      {isShown && <pre className="secret-value">{plainLines(decoded(encoded))}</pre>}
    </li>
  );
}

/** Returns the values of a Secret by key, in base64. */
function dataOf(secret: unknown): Readonly<Record<string, string>> {
  const { data } = (secret ?? {}) as { readonly data?: unknown };
  return typeof data === 'object' && data !== null ? (data as Record<string, string>) : {};
}

/** Returns a value as text, or its size if it is not UTF-8. */
function decoded(encoded: string): string {
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return `not text: ${sizeText(encoded.length)} characters in base64`;
  }
}
