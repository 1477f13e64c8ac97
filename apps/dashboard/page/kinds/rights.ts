import type { KubeClient, Resource } from 'rx-informers';
import { catchError, map, of, type Observable } from 'rxjs';
import { requestJson } from '../cluster/request-json.js';

/** An action whose permission is checked. */
export interface Wish {
  readonly verb: string;
  readonly resource: Resource<unknown>;
  /** The namespace; default: all namespaces, or the cluster. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/**
 * The answer about a permission. `unknown` means that the API server gave no answer, so the page
 * tries the action.
 */
export type Right = 'allowed' | 'denied' | 'unknown';

/** Emits whether the user may do one thing (`SelfSubjectAccessReview`). Never fails. */
export function reviewAccess(client: KubeClient, wish: Wish): Observable<Right> {
  const { verb, resource, namespace, name, subresource } = wish;
  const { group, version, plural } = resource;
  const resourceAttributes = { verb, group, version, resource: plural, namespace, name, subresource };
  return review(client, 'SelfSubjectAccessReview', { resourceAttributes }).pipe(
    map((status): Right => {
      const { allowed } = (status ?? {}) as { readonly allowed?: unknown };
      return allowed === true ? 'allowed' : allowed === false ? 'denied' : 'unknown';
    }),
  );
}

interface ResourceRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
}

/** The permissions of a user in one namespace, and in the cluster. */
export interface Rules {
  /**
   * Returns `unknown` if the API server cannot list all rules, for example because of a webhook
   * authorizer.
   */
  right(verb: string, resource: Resource<unknown>): Right;
}

export const unknownRules: Rules = { right: () => 'unknown' };

/**
 * Emits all permissions of the user in a namespace (`SelfSubjectRulesReview`), with one request.
 * Never fails.
 */
export function reviewRules(client: KubeClient, namespace: string): Observable<Rules> {
  return review(client, 'SelfSubjectRulesReview', { namespace }).pipe(map(rulesOf));
}

export function rulesOf(status: unknown): Rules {
  const { resourceRules, incomplete } = (status ?? {}) as {
    readonly resourceRules?: readonly ResourceRule[];
    readonly incomplete?: boolean;
  };
  if (!Array.isArray(resourceRules)) return unknownRules;
  const rules: readonly ResourceRule[] = resourceRules;
  return {
    right(verb, { group, plural }) {
      const isAllowed = rules.some(
        ({ verbs, apiGroups, resources }) => has(verbs, verb) && has(apiGroups, group) && has(resources, plural),
      );
      return isAllowed ? 'allowed' : incomplete === true ? 'unknown' : 'denied';
    },
  };
}

function has(values: readonly string[] | undefined, value: string): boolean {
  return values?.some((each) => each === '*' || each === value) === true;
}

function review(client: KubeClient, kind: string, spec: object): Observable<unknown> {
  const path = `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`;
  const body = JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind, spec });
  return requestJson<{ readonly status?: unknown } | null>(client, { method: 'POST', path, body }).pipe(
    map((answer) => answer?.status),
    catchError(() => of(undefined)),
  );
}
