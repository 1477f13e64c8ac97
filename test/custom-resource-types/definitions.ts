import type { Schema } from '../../src/types/schema-type.js';
import type { Definition } from '../../src/types/types-of.js';

/** What the definition of a kind states in a test. */
export interface DefinedKind {
  readonly kind?: string;
  readonly plural?: string;
  readonly group?: string;
  readonly scope?: 'Cluster' | 'Namespaced';
  readonly versions?: readonly string[];
  /** The schema of all versions; `null` for none. */
  readonly schema?: Schema | null;
}

/** Returns a CustomResourceDefinition. */
export function aDefinition(stated: DefinedKind = {}): Definition {
  const { kind = 'Widget', plural = `${kind.toLowerCase()}s`, group = 'example.com' } = stated;
  const { scope = 'Namespaced', versions = ['v1'], schema = { type: 'object' } } = stated;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural },
      versions: versions.map((name, i) => ({
        name,
        served: true,
        storage: i === 0,
        ...(schema === null ? {} : { schema: { openAPIV3Schema: schema } }),
      })),
    },
  } as Definition;
}

/** Returns the definition of the kind Widget, whose spec has a schema. */
export function widgets(spec: Schema): Definition {
  return aDefinition({ schema: { type: 'object', required: ['spec'], properties: { spec } } });
}
