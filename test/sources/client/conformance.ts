import { fetchClient, type KubeClient } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { kubeConfigOf } from './kube-config.js';

export interface ClientUnderTest {
  readonly name: string;
  readonly connect: (url: string) => KubeClient;
  readonly withToken: (url: string, token: () => Promise<string>) => KubeClient;
}

/** Every client of the library; all of them must pass the same suite. */
export const clients: readonly ClientUnderTest[] = [
  {
    name: 'kubeClient',
    connect: (url: string): KubeClient => kubeClient(kubeConfigOf({ server: url })),
    withToken: (url: string, token: () => Promise<string>): KubeClient =>
      kubeClient({
        getCurrentCluster: () => ({ server: url }),
        applyToHTTPSOptions: async (options) => {
          options.headers = { Authorization: `Bearer ${await token()}` };
        },
      }),
  },
  {
    name: 'fetchClient',
    connect: (url: string): KubeClient => fetchClient({ baseUrl: url }),
    withToken: (url: string, token: () => Promise<string>): KubeClient =>
      fetchClient({ baseUrl: url, headers: async () => ({ authorization: `Bearer ${await token()}` }) }),
  },
];
