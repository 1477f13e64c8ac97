import { invalidOptionError } from '../../kubernetes/errors.js';
import { manifestObjects, type Appliable } from '../api-server/apply-objects.js';
import type { AllowRule, ApiUser } from '../api-server/exchange/access-control.js';
import { objectField, objectsAt, stringAt, type JsonObject } from '../api-server/exchange/json.js';
import type { PolicyRule } from './policy-rule.js';

/** A Role or ClusterRole of a manifest. */
interface Role {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly rules: readonly PolicyRule[];
}

/**
 * Turns the roles of a manifest into users of the embedded API server. So a test has the rights of
 * the deployment.
 *
 * Each subject of a RoleBinding or ClusterRoleBinding becomes a user whose token is the name of the
 * subject: a ServiceAccount, a User, or a member of a Group. In a manifest without bindings, each
 * role becomes a user whose token is the name of the role. The ClusterRole `cluster-admin` need not
 * be in the manifest. Objects of other kinds are ignored.
 *
 * @param manifest objects, JSON or YAML (which needs the package `yaml`)
 * @returns the option `users` of `createInMemoryApiServer` and `createApiServer`
 * @throws `RXI_INVALID_OPTION` if a binding refers to a role that is not in the manifest
 * @example
 * const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }];
 * const manifest = { kind: 'ClusterRole', metadata: { name: 'web' }, rules };
 * const server = createInMemoryApiServer({ users: usersOf(manifest) });
 * const client = server.clientFor('web');
 * @see {@link recordRights}
 */
export function usersOf(manifest: Appliable): Readonly<Record<string, ApiUser>> {
  const roles = rolesOf(manifest);
  const bindings = objectsOf(manifest).filter(({ kind }) => kind === 'RoleBinding' || kind === 'ClusterRoleBinding');
  const users = new Map<string, ApiUser>();
  const grant = (token: string, user: Omit<ApiUser, 'allow'>, allow: ApiUser['allow']): void => {
    const before = users.get(token)?.allow ?? [];
    const isUnlimited = before === 'everything' || allow === 'everything';
    users.set(token, { ...user, allow: isUnlimited ? 'everything' : [...before, ...allow] });
  };
  for (const { kind, name, namespace, rules } of bindings.length > 0 ? [] : roles)
    grant(name, { name }, allowed(rules, kind === 'Role' ? namespace : undefined));
  for (const binding of bindings) {
    const namespace = binding['kind'] === 'RoleBinding' ? namespaceOf(binding) : undefined;
    const allow = rightsOfRole(roles, objectField(binding, 'roleRef'), namespace);
    for (const subject of objectsAt(binding, 'subjects')) {
      const name = stringAt(subject, 'name') ?? '';
      grant(name, userOf(subject, name, namespace ?? 'default'), allow);
    }
  }
  return Object.fromEntries(users);
}

/** Returns the roles of a manifest. */
export function rolesOf(manifest: Appliable): readonly Role[] {
  return objectsOf(manifest)
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
    .map((role) => ({
      kind: String(role['kind']),
      name: nameOf(role),
      namespace: namespaceOf(role),
      // A rule without resources is about paths such as /healthz.
      rules: objectsAt(role, 'rules').filter((rule) => 'resources' in rule) as unknown as readonly PolicyRule[],
    }));
}

function objectsOf(manifest: Appliable): readonly JsonObject[] {
  return manifestObjects(manifest, 'usersOf');
}

function rightsOfRole(roles: readonly Role[], roleRef: JsonObject, namespace: string | undefined): ApiUser['allow'] {
  const { kind, name } = roleRef;
  const role = roles.find(
    (role) => role.kind === kind && role.name === name && (kind === 'ClusterRole' || role.namespace === namespace),
  );
  if (role !== undefined) return allowed(role.rules, namespace);
  if (kind === 'ClusterRole' && name === 'cluster-admin')
    return namespace === undefined ? 'everything' : [{ namespaces: [namespace] }];
  throw invalidOptionError('roleRef of a binding', `${String(kind)} ${String(name)}`, 'a role in the same manifest');
}

function allowed(rules: readonly PolicyRule[], namespace: string | undefined): readonly AllowRule[] {
  const some = (values: readonly string[]): readonly string[] | undefined =>
    values.includes('*') ? undefined : values;
  return rules.map(({ verbs, apiGroups, resources, resourceNames = [] }) => ({
    verbs: some(verbs),
    groups: some(apiGroups),
    resources: some(resources),
    namespaces: namespace === undefined ? undefined : [namespace],
    resourceNames: resourceNames.length === 0 ? undefined : resourceNames,
  }));
}

function userOf(subject: JsonObject, name: string, bindingNamespace: string): Omit<ApiUser, 'allow'> {
  switch (subject['kind']) {
    case 'ServiceAccount': {
      const namespace = stringAt(subject, 'namespace') ?? bindingNamespace;
      return {
        name: `system:serviceaccount:${namespace}:${name}`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
      };
    }
    case 'Group':
      return { name: `a member of ${name}`, groups: [name] };
    default:
      return { name };
  }
}

function nameOf(object: JsonObject): string {
  return stringAt(objectField(object, 'metadata'), 'name') ?? '';
}

function namespaceOf(object: JsonObject): string {
  return stringAt(objectField(object, 'metadata'), 'namespace') ?? 'default';
}
