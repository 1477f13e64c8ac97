import { at } from '../json.js';
import type { Session } from '../session.js';

export const configMapsOf = ({ namespace }: Session): string => `/api/v1/namespaces/${namespace}/configmaps`;
export const podsOf = ({ namespace }: Session): string => `/api/v1/namespaces/${namespace}/pods`;
export const deploymentsOf = ({ namespace }: Session): string => `/apis/apps/v1/namespaces/${namespace}/deployments`;

export function configMap(
  name: string,
  labels?: Readonly<Record<string, string>>,
  data: Readonly<Record<string, string>> = { key: 'value' },
): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...(labels === undefined ? {} : { labels }) },
    data,
  };
}

/**
 * The resources of every container. Without them, Go writes an empty object. Only one scenario
 * tests that.
 */
export const resources = { limits: { cpu: '1' } };

export function pod(name: string, nodeName = ''): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: { ...(nodeName === '' ? {} : { nodeName }), containers: [{ name: 'main', image: 'image:1', resources }] },
  };
}

export function deployment(name: string): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            { name: 'main', image: 'image:1', resources, env: [{ name: 'A', value: '1' }] },
            { name: 'side', image: 'side:1', resources },
          ],
        },
      },
    },
  };
}

/** Creates ConfigMaps without recording the responses. Returns the version of the last one. */
export async function seed(session: Session, ...objects: readonly object[]): Promise<string> {
  let latest = '';
  for (const body of objects) {
    const reply = await session.silently('POST', configMapsOf(session), { body });
    if (reply.status !== 201) throw new Error(`could not be created: ${JSON.stringify(reply.body)}`);
    latest = reply.resourceVersion;
  }
  await caughtUp(session, configMapsOf(session), latest);
  return latest;
}

/** Waits until the cache of the server has reached a version. */
export async function caughtUp(session: Session, path: string, resourceVersion: string): Promise<void> {
  const query = { resourceVersion, resourceVersionMatch: 'NotOlderThan', limit: '1' };
  const { status, body } = await session.silently('GET', path, { query });
  if (status !== 200) throw new Error(`the version was not reached: ${JSON.stringify(body)}`);
}

/** Repeats a request without recording the responses, until a response meets the condition. */
export async function waitUntil(
  session: Session,
  path: string,
  isSo: (reply: Awaited<ReturnType<Session['silently']>>) => boolean,
): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (isSo(await session.silently('GET', path))) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${path}: it did not become so`);
}

/** Returns true if the API server serves the kind of a definition. */
export function isEstablished({ body }: Awaited<ReturnType<Session['silently']>>): boolean {
  const conditions = (at(body, 'status', 'conditions') ?? []) as readonly {
    readonly type: string;
    readonly status: string;
  }[];
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
}
