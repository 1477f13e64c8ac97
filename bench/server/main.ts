import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerContent } from '../model/scenario.js';
import { answerList, answerListInProtobuf } from './answer-list.js';
import { answerWatch } from './answer-watch.js';
import { PROTOBUF, toProtobuf } from './protobuf.js';
import { servePods } from './served-pods.js';
import { Session } from './session.js';

/*
 * The API server of the benchmark, in its own process. It lists and watches pods, and does nothing
 * else.
 *
 * It sends the same bytes as a real API server: items without kind, pages in key order, an HTTP
 * chunk for each event. Unlike `createApiServer` of `rx-informers/testing`, it computes nothing
 * while it answers.
 */
process.once('disconnect', () => process.exit());
process.once('message', (message) => void serve(message as ServerContent));

async function serve(content: ServerContent): Promise<void> {
  const served = servePods(content);
  const { protobufEncoder } = content;
  const encoded = protobufEncoder === undefined ? undefined : await toProtobuf(protobufEncoder, served);
  const session = new Session(content.expirations ?? 0);
  const server = createServer((request, response) => {
    const protobuf = request.headers.accept?.includes(PROTOBUF) === true ? encoded : undefined;
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'POST' && pathname === '/bench/start') {
      session.start();
      response.end();
    } else if (request.method !== 'GET' || pathname !== '/api/v1/pods') {
      response.writeHead(404).end();
    } else if (query.get('watch') === 'true') {
      void answerWatch({ content, served, protobuf, session }, query, response);
    } else if (protobuf !== undefined) {
      answerListInProtobuf(protobuf, response);
    } else {
      answerList(content, served, query, response);
    }
  });
  // The server never closes an idle connection. Otherwise it could close a connection just when the
  // client uses it again, and the client would report an error.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
}
