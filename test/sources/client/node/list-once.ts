// A process that makes one exchange. It must exit by itself while its connection is still in the
// pool.
import { kubeClient } from 'rx-informers/node';

const [, , server = '', protocol] = process.argv;
const client = kubeClient(
  { getCurrentCluster: () => ({ server, skipTLSVerify: true }), applyToHTTPSOptions: () => Promise.resolve() },
  { http2: protocol === 'http2' },
);

client.exchange({ method: 'GET', path: '/api/v1/pods' }).subscribe((part) => {
  if (part.type === 'head') console.log(part.status);
});
