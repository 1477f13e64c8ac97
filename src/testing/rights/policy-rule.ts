/** A rule of a Role or ClusterRole: each verb on each resource of each group. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** The names of the objects; without it, all objects. */
  readonly resourceNames?: readonly string[] | undefined;
}

/** One verb on one resource; a subresource follows after a slash, as in `pods/status`. */
export interface NeededRight {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/** Returns rules that give the rights. Resources of a group with equal verbs share a rule. */
export function rulesOf(rights: Iterable<NeededRight>): readonly PolicyRule[] {
  const rules = new Map<string, { readonly group: string; readonly resources: string[]; readonly verbs: string[] }>();
  for (const [key, verbsOfResource] of groupBy([...rights], ({ group, resource }) => `${group}/${resource}`)) {
    const [group = '', ...resource] = key.split('/');
    const sorted = [...new Set(verbsOfResource.map(({ verb }) => verb))].sort(
      (a, b) => verbs.indexOf(a) - verbs.indexOf(b),
    );
    const rule = rules.get(`${group} ${sorted.join()}`) ?? { group, resources: [], verbs: sorted };
    rule.resources.push(resource.join('/'));
    rules.set(`${group} ${sorted.join()}`, rule);
  }
  return [...rules.values()].map((rule) => ({
    apiGroups: [rule.group],
    resources: rule.resources.sort(),
    verbs: rule.verbs,
  }));
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the line of YAML of the rule. */
export function lineOf({ apiGroups, resources, verbs, resourceNames = [] }: PolicyRule): string {
  const list = (name: string, values: readonly string[]): readonly string[] =>
    values.length === 0
      ? []
      : [`${name}: [${values.map((value) => (/^[\w./-]+$/.test(value) ? value : `'${value}'`)).join(', ')}]`];
  const fields = [
    ...list('apiGroups', apiGroups),
    ...list('resources', resources),
    ...list('resourceNames', resourceNames),
    ...list('verbs', verbs),
  ];
  return `- { ${fields.join(', ')} }`;
}
