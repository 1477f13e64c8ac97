/** A rule of a role. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Returns the rules that allow to impersonate anyone: those without names, or with a star. */
export function unrestrictedImpersonations(rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(
    ({ verbs, resources, resourceNames = [] }) =>
      verbs.includes('*') || (verbs.includes('impersonate') && (resourceNames.length === 0 || resources.includes('*'))),
  );
}
