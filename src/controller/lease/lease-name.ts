/** Which Lease is meant. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** As messages and paths say it: `namespace/name`. */
export function leaseKey({ namespace, name }: LeaseName): string {
  return `${namespace}/${name}`;
}
