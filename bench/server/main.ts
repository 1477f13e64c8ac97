import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerContent } from '../scenario.js';
import { answerList } from './answer-list.js';
import { answerWatch } from './answer-watch.js';
import { servePods } from './served-pods.js';
import { Session } from './session.js';

/*
 * The API server of the benchmark, in a process of its own: it lists and watches pods, and knows nothing else.
 *
 * What it sends is as the real one's: items without kind, pages in key order, an HTTP chunk for each event. It computes nothing
 * while it answers, unlike `rx-informers/testing`'s API server.
 */
process.once('disconnect', () => process.exit());
process.once('message', (message) => {
  const content = message as ServerContent;
  const served = servePods(content);
  const session = new Session(content.expirations ?? 0);
  const server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'POST' && pathname === '/bench/start') {
      session.start();
      response.end();
    } else if (request.method !== 'GET' || pathname !== '/api/v1/pods') {
      response.writeHead(404).end();
    } else if (query.get('watch') === 'true') {
      void answerWatch({ content, served, session }, query, response);
    } else {
      answerList(served, query, response);
    }
  });
  // A connection that the server closed for idleness just when it was used again would be the client's error.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
});
