import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { isGroupName, isUserName } from '../../server/identity-headers.js';
import { parseOptions } from '../../server/options.js';
import { unrestrictedImpersonations, type Rule } from './rules.js';

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url));
const manifest = (name: string): unknown => parse(readFileSync(join(folder, `${name}.yaml`), 'utf8'));
const rulesOf = (name: string): readonly Rule[] => (manifest(name) as { readonly rules: readonly Rule[] }).rules;

interface Patch {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

describe('the ClusterRole of the impersonation', () => {
  it('grants the impersonation of named users and groups, none of system:, and nothing else', () => {
    const [users, groups, ...others] = rulesOf('impersonation/cluster-role');
    expect([users?.resources, groups?.resources, others]).toEqual([['users'], ['groups'], []]);
    for (const rule of [users, groups]) {
      expect(rule).toMatchObject({ apiGroups: [''], verbs: ['impersonate'] });
      expect(rule?.resourceNames?.length).toBeGreaterThan(0);
    }
    expect(users?.resourceNames?.every(isUserName)).toBe(true);
    expect(groups?.resourceNames?.every(isGroupName)).toBe(true);
  });

  it('is the only one of the manifests with that verb, and none has a star', () => {
    const roles = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('cluster-role.yaml'),
    );
    const rules = roles.flatMap((file) => rulesOf(file.replace(/\.yaml$/, '')));
    expect(roles.length).toBe(3);
    expect(unrestrictedImpersonations(rules)).toEqual([]);
    expect(rules.filter(({ verbs }) => verbs.includes('impersonate')).length).toBe(2);
  });

  it('adds to the hub the right to create SubjectAccessReviews, and nothing else', () => {
    expect(rulesOf('impersonation-hub/cluster-role')).toEqual([
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ]);
  });

  it.each(['impersonation', 'impersonation-hub'])('%s is bound to the account of the dashboard only', (component) => {
    expect(manifest(`${component}/cluster-role-binding`)).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: `rx-informers-dashboard-${component}` },
      subjects: [{ kind: 'ServiceAccount', name: 'rx-informers-dashboard' }],
    });
  });

  it('comes with arguments that the command accepts, and with groups that it may impersonate', () => {
    const { spec } = manifest('base/deployment') as {
      readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [{ args: string[] }] } } };
    };
    const { args } = spec.template.spec.containers[0];
    const { patches } = manifest('impersonation/kustomization') as { readonly patches: readonly [{ patch: string }] };
    for (const { op, path, value } of parse(patches[0].patch) as readonly Patch[]) {
      const [, index = ''] = /args\/(\d+|-)$/.exec(path) ?? [];
      if (index !== '' && op !== 'test') args[index === '-' ? args.length : Number(index)] = String(value);
    }
    const options = parseOptions(['node', 'dashboard', ...args]);
    expect(options).toMatchObject({
      identityHeaders: ['x-forwarded-email', 'x-forwarded-groups'],
      identitySecretFile: '/var/run/dashboard/identity-secret',
    });
    const [, groups] = rulesOf('impersonation/cluster-role');
    expect(options.identityGroups).toEqual(groups?.resourceNames);
  });
});
