import { defer, tap } from 'rxjs';
import { isRxInformersError } from '../../kubernetes/errors.js';
import { wrappedClient, type KubeClient, type KubeRequest } from '../../sources/client/kube-client.js';
import type { Appliable } from '../api-server/apply-objects.js';
import { lineOf, rulesOf, type PolicyRule, type NeededRight } from './policy-rule.js';
import { finalizersOf, isApply, rightsOf } from './rights-of-request.js';
import { rolesOf } from './users-of.js';

/** The rights that a program needed; see {@link recordRights}. */
export interface RecordedRights {
  /** The client to give to the program. */
  readonly client: KubeClient;
  /**
   * Returns the fewest rules that allow the requests so far. They contain what a recording cannot
   * see: `list` beside each `watch`, `create` beside each `patch` that applies, and `update` of the
   * finalizers of each owner whose deletion a JSON body blocks. The resource of such an owner is
   * the plural that kubectl would guess from its kind.
   */
  rules(): readonly PolicyRule[];
  /**
   * Returns a line of YAML for each right whose lack made the server refuse a request. Compare it
   * with `[]` at the end of a test: the line in the failure is the line that the role lacks.
   */
  missing(): readonly string[];
  /**
   * Returns a line of YAML for each right of the roles in a manifest that no request so far needed.
   *
   * @param manifest the roles; everything else in it is ignored
   */
  unused(manifest: Appliable): readonly string[];
}

/**
 * Records which rights a program needs, from the requests that it sends.
 *
 * **Guarantees**: all requests pass unchanged, with the clock of the client. The checks for stale
 * caches of a run continue to work. **Does not guarantee**: that a test sends every request which
 * the program can send. Run the tests also against a server without streaming lists, and with
 * conflicts.
 *
 * @param client the client of the program
 * @returns the client to use instead, and what it has seen
 * @example
 * const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }];
 * const manifest = { kind: 'ClusterRole', metadata: { name: 'web' }, rules };
 * const server = createInMemoryApiServer({ users: usersOf(manifest) });
 * const rights = recordRights(server.clientFor('web'));
 * informer(rights.client, pods).connect();
 * console.log(rights.missing()); // []
 * console.log(rights.unused(manifest)); // []
 * @see {@link usersOf}
 */
export function recordRights(client: KubeClient): RecordedRights {
  const needed = new Map<string, NeededRight>();
  const refused = new Map<string, NeededRight>();
  const record = (rights: Map<string, NeededRight>, right: NeededRight): void => {
    rights.set(`${right.group}/${right.resource} ${right.verb}`, right);
  };
  return {
    client: wrappedClient(client, (request) =>
      defer(() => {
        for (const right of rightsOf(request)) record(needed, right);
        return client.exchange(request).pipe(
          tap({
            error: (error: unknown) => {
              if (!isRxInformersError(error, 'RXI_STATUS') || error.statusCode !== 403) return;
              for (const right of rightsRefused(request, error.status.message ?? '')) record(refused, right);
            },
          }),
        );
      }),
    ),
    rules: () => rulesOf(needed.values()),
    missing: () => rulesOf(refused.values()).map(lineOf),
    unused: (manifest) => {
      const unused = rolesOf(manifest).flatMap(({ rules }) =>
        rules.flatMap((rule) => unusedOf(rule, [...needed.values()])),
      );
      return unused.map(lineOf);
    },
  };
}

/** Returns the rights that the server's refusal names, or that such a request needs. */
function rightsRefused(request: KubeRequest, message: string): readonly NeededRight[] {
  const [, verb, resource, group] = /cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/.exec(message) ?? [];
  if (verb !== undefined && resource !== undefined && group !== undefined) return [{ group, resource, verb }];
  if (message.includes('blockOwnerDeletion')) return finalizersOf(request);
  const [right] = rightsOf(request);
  if (right === undefined) return [];
  if (message.includes('cannot set an ownerRef')) return [{ ...right, verb: 'delete' }];
  // The refusal of an apply that would create an object has no reason.
  return isApply(request) && message.endsWith('is forbidden: ') ? [{ ...right, verb: 'create' }] : [];
}

/** Returns the part of a rule that none of the rights needs. Any right needs a star. */
function unusedOf(rule: PolicyRule, needed: readonly NeededRight[]): readonly PolicyRule[] {
  const matches = (granted: string, value: string): boolean => granted === value || granted === '*';
  const isUsed = (group: string, resource: string, verb: string): boolean =>
    needed.some(
      (right) => matches(group, right.group) && matches(resource, right.resource) && matches(verb, right.verb),
    );
  return rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) => {
      const verbs = rule.verbs.filter((verb) => !isUsed(group, resource, verb));
      return verbs.length === 0 ? [] : [{ ...rule, apiGroups: [group], resources: [resource], verbs }];
    }),
  );
}
