import type { KubernetesObject } from '../../kubernetes/object.js';

export const redacted = '[redacted]';

/** A replacement that is valid base64. */
const redactedBase64 = btoa('redacted');

const confidentialName = /token|password|secret|authorization|credential/i;
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Returns a copy of an object in which secrets are redacted. */
export function redactObject<T>(object: T, isSecret: boolean): T {
  const { kind, metadata } = object as KubernetesObject;
  const secret = isSecret || kind === 'Secret';
  const { data, stringData } = object as { readonly data?: unknown; readonly stringData?: unknown };
  const isConfidential = (name: string): boolean => confidentialName.test(name) || (secret && name === lastApplied);
  const annotations = metadata?.annotations;
  return {
    ...object,
    ...(metadata && annotations && Object.keys(annotations).some(isConfidential)
      ? {
          metadata: {
            ...metadata,
            annotations: mapValues(annotations, (name, value) => (isConfidential(name) ? redacted : value)),
          },
        }
      : {}),
    ...(secret && isRecord(data) ? { data: mapValues(data, () => redactedBase64) } : {}),
    ...(secret && isRecord(stringData) ? { stringData: mapValues(stringData, () => redacted) } : {}),
  };
}

/** Redacts credentials in headers and texts. It is a replacer for `JSON.stringify`. */
export function redactCredentials(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^authorization$/i.test(name)) return redacted;
  return value.replace(/\bBearer\s+[\w.~+/=-]+/gi, `Bearer ${redacted}`);
}

function mapValues(
  values: Readonly<Record<string, unknown>>,
  project: (name: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, project(name, value)]));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
