import { useEffect, useState, type ReactNode } from 'react';
import { StatusError } from 'rx-informers';
import { useStatus } from 'rx-informers/react';
import { go, usePageAddress } from '../address/use-page-address.js';
import { useClusterInfo } from './cluster.js';
import { useLivePods } from './informers.js';

/**
 * Restricts the page to one namespace by adding it to the address. This is the namespace of
 * `--namespace`. Without this option, it is the namespace of the context, and only if the user may
 * not read the pods of all namespaces.
 */
export function useAllowedNamespace(): void {
  const { namespace } = usePageAddress();
  const { forcedNamespace, namespace: home } = useClusterInfo();
  const status = useStatus(useLivePods());
  const isRefused =
    status.state === 'forbidden' && !(status.cause instanceof StatusError && status.cause.statusCode === 401);
  const allowed = forcedNamespace ?? (isRefused && namespace === undefined ? home : undefined);
  useEffect(() => {
    if (allowed !== undefined) go({ namespace: allowed }, { replace: true });
  }, [allowed]);
}

/** Renders an input for the namespace to read. Renders nothing if `--namespace` names one. */
export function NamespaceBox(): ReactNode {
  const { namespace } = usePageAddress();
  const { forcedNamespace } = useClusterInfo();
  const [typed, setTyped] = useState('');
  if (forcedNamespace !== undefined) return null;
  return (
    <form
      className="namespace-box"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() !== '') go({ namespace: typed.trim() });
      }}
    >
      <label>
        {namespace === undefined ? 'Try a single namespace: ' : 'Another namespace: '}
        <input
          type="text"
          placeholder="namespace"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
          }}
        />
      </label>{' '}
      <button type="submit" className="action">
        Show it
      </button>
    </form>
  );
}
