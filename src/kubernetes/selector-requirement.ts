/** One condition on the labels of an object, as the Kubernetes API defines it. */
export type SelectorRequirement =
  | { readonly operator: 'In' | 'NotIn'; readonly key: string; readonly values: readonly string[] }
  | { readonly operator: 'Exists' | 'DoesNotExist'; readonly key: string }
  | { readonly operator: 'Gt' | 'Lt'; readonly key: string; readonly value: bigint };

/** `NotIn` matches where the label is absent; `Gt` and `Lt` do not match what is no integer. */
export function matchesRequirement(
  requirement: SelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && requirement.values.includes(value);
    case 'NotIn':
      return value === undefined || !requirement.values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isInteger(value) && BigInt(value) > requirement.value;
    case 'Lt':
      return isInteger(value) && BigInt(value) < requirement.value;
  }
}

/** The text form that the API server reads. */
export function formatRequirement(requirement: SelectorRequirement): string {
  const { key } = requirement;
  switch (requirement.operator) {
    case 'In':
      return `${key} in (${requirement.values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${requirement.values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
      return `${key}>${requirement.value}`;
    case 'Lt':
      return `${key}<${requirement.value}`;
  }
}

export function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^[+-]?\d+$/.test(text);
}
