// A process that makes one exchange, and has to end by itself while its connection is still in the pool.
import { kubeClient } from 'rx-informers/node';

const [, , server = ''] = process.argv;
const client = kubeClient({ getCurrentCluster: () => ({ server }), applyToHTTPSOptions: () => Promise.resolve() });

client.exchange({ method: 'GET', path: '/api/v1/pods' }).subscribe((part) => {
  if (part.type === 'head') console.log(part.status);
});
