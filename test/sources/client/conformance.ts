import { fetchClient, type KubeClient } from 'rx-informers';
import { kubeClient, type KubeClientOptions } from 'rx-informers/node';
import { kubeConfigOf } from './kube-config.js';
import { certificateAuthority, signedBy, type Certificate } from './node/certificates.js';
import { startServer, type Answer, type TestServer } from './test-server.js';

export interface ClientUnderTest {
  readonly name: string;
  readonly connect: (url: string, options?: KubeClientOptions) => KubeClient;
  /** Starts a server with the preferred protocol of this client. */
  readonly serve: (answer: Answer) => Promise<TestServer>;
  readonly withToken: (url: string, token: () => Promise<string>) => KubeClient;
}

let certificate: Promise<Certificate> | undefined;

const serveHttp2 = async (answer: Answer): Promise<TestServer> => {
  certificate ??= certificateAuthority().then((ca) => signedBy(ca, '127.0.0.1'));
  return startServer(answer, { ...(await certificate), http2: true });
};

/** Every client of the library. All of them must pass the same tests. */
export const clients: readonly ClientUnderTest[] = [
  {
    name: 'kubeClient',
    serve: startServer,
    connect: (url, options): KubeClient => kubeClient(kubeConfigOf({ server: url }), options),
    withToken: (url, token): KubeClient =>
      kubeClient({
        getCurrentCluster: () => ({ server: url }),
        applyToHTTPSOptions: async (options) => {
          options.headers = { Authorization: `Bearer ${await token()}` };
        },
      }),
  },
  {
    name: 'kubeClient over HTTP/2',
    serve: serveHttp2,
    connect: (url, options): KubeClient =>
      kubeClient(kubeConfigOf({ server: url, skipTLSVerify: true }), { ...options, http2: true }),
    withToken: (url, token): KubeClient =>
      kubeClient(
        {
          getCurrentCluster: () => ({ server: url, skipTLSVerify: true }),
          applyToHTTPSOptions: async (options) => {
            options.headers = { Authorization: `Bearer ${await token()}` };
          },
        },
        { http2: true },
      ),
  },
  {
    name: 'fetchClient',
    serve: startServer,
    connect: (url): KubeClient => fetchClient({ baseUrl: url }),
    withToken: (url, token): KubeClient =>
      fetchClient({ baseUrl: url, headers: async () => ({ authorization: `Bearer ${await token()}` }) }),
  },
];

/** `kubeClient` with each protocol, for tests of features that not every client has. */
export const kubeClients = clients.filter(({ name }) => name.startsWith('kubeClient'));
