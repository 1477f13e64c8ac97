import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { hubKinds } from '../../server/hub-kinds.js';

const folder = fileURLToPath(new URL('../../deploy/hub/', import.meta.url));
const manifest = (name: string): unknown => parse(readFileSync(`${folder}${name}.yaml`, 'utf8'));

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

describe('the ClusterRole of the hub', () => {
  const { rules } = manifest('cluster-role') as { readonly rules: readonly Rule[] };
  const granted = rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.map((plural) => `${group}/${plural}: ${verbs.join()}`)),
  );

  it('grants list and watch of exactly the kinds of the hub and of RBAC, and nothing else', () => {
    const rbac = ['clusterrolebindings', 'clusterroles', 'rolebindings', 'roles'];
    const expected = [
      ...hubKinds.map(({ group, plural }) => `${group}/${plural}: list,watch`),
      ...rbac.map((plural) => `rbac.authorization.k8s.io/${plural}: list,watch`),
    ];
    expect([...granted].sort()).toEqual(expected.sort());
    for (const rule of rules) expect(Object.keys(rule).sort()).toEqual(['apiGroups', 'resources', 'verbs']);
  });

  it('has no star, and no Secrets', () => {
    expect(granted.filter((each) => each.includes('*') || each.includes('secrets'))).toEqual([]);
  });

  it('is bound to the account of the dashboard only', () => {
    expect(manifest('cluster-role-binding')).toMatchObject({
      roleRef: {
        kind: 'ClusterRole',
        name: (manifest('cluster-role') as { metadata: { name: string } }).metadata.name,
      },
      subjects: [{ kind: 'ServiceAccount', name: 'rx-informers-dashboard' }],
    });
  });
});
