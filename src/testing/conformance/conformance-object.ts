/** What the collection suite stores: as much of a pod as it looks at. */
export interface ConformanceObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName?: string };
}

export function conformanceObject(name: string, version: number, node = 'n1'): ConformanceObject {
  return {
    metadata: { name, uid: `uid-${name}`, resourceVersion: String(version), labels: { app: 'x' } },
    spec: { nodeName: node },
  };
}
