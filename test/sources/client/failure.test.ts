import { type ResponsePart, ConnectionError, CredentialsError, StatusError } from 'rx-informers';
import { clients } from './conformance.js';
import { failureOf, listPods } from './exchanges.js';
import { json, startServer, type Answer, type TestServer } from './test-server.js';

const forbidden = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'pods is forbidden',
  reason: 'Forbidden',
  code: 403,
};

describe.each(clients)('$name, a KubeClient', ({ connect, withToken }) => {
  let server: TestServer;
  let answer: Answer;

  beforeEach(async () => {
    answer = json({});
    server = await startServer((request, response) => {
      answer(request, response);
    });
  });
  afterEach(() => server.close());

  describe('a failure', () => {
    it.each([400, 401, 403, 404, 405, 406, 409, 410, 429, 500, 503, 504])(
      'with HTTP %i is a StatusError with the Status object',
      async (code) => {
        answer = json({ ...forbidden, code }, code);

        const error = await failureOf(connect(server.url).exchange(listPods), StatusError);

        expect(error.statusCode).toBe(code);
        expect(error.status).toEqual({ ...forbidden, code });
        expect(error.reason).toBe('Forbidden');
        expect(error.retryAfter).toBeUndefined();
        expect(error.request).toEqual({ method: 'GET', url: '/api/v1/pods?limit=500' });
      },
    );

    it('is made from code and text if the body is not a Status', async () => {
      answer = (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>\n');

      const error = await failureOf(connect(server.url).exchange(listPods), StatusError);

      expect(error.statusCode).toBe(502);
      expect(error.status.message).toBe('<h1>Bad Gateway</h1>');
      expect(error.message).toBe('GET /api/v1/pods?limit=500: 502: <h1>Bad Gateway</h1>');
    });

    it('says when to come back: in seconds', async () => {
      answer = json(forbidden, 429, { 'retry-after': '7' });

      expect((await failureOf(connect(server.url).exchange(listPods), StatusError)).retryAfter).toBe(7000);
    });

    it("says when to come back: as a date, on the server's clock", async () => {
      answer = json(forbidden, 503, {
        date: 'Wed, 21 Oct 2015 07:28:00 GMT',
        'retry-after': 'Wed, 21 Oct 2015 07:29:30 GMT',
      });

      expect((await failureOf(connect(server.url).exchange(listPods), StatusError)).retryAfter).toBe(90_000);
    });

    it('says when to come back: in the details of the status', async () => {
      answer = json({ ...forbidden, details: { retryAfterSeconds: 2 } }, 429);

      expect((await failureOf(connect(server.url).exchange(listPods), StatusError)).retryAfter).toBe(2000);
    });

    it('of a body that breaks off is a ConnectionError, after the bytes that came', async () => {
      answer = (_, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"kind":', () => response.destroy());
      };
      const parts: ResponsePart[] = [];
      const exchange = connect(server.url).exchange(listPods);
      const error = await new Promise<unknown>((resolve) => {
        exchange.subscribe({ next: (part) => parts.push(part), error: resolve, complete: () => resolve('complete') });
      });

      expect(error).toBeInstanceOf(ConnectionError);
      expect(parts[0]?.type).toBe('head');
    });

    it('of a chunked body without its end is a ConnectionError', async () => {
      answer = (_, response) => {
        response.write('{"type":"ADDED"}\n', () => response.socket?.destroy());
      };

      expect(await failureOf(connect(server.url).exchange(listPods), ConnectionError)).toBeInstanceOf(ConnectionError);
    });

    it('without any answer is a ConnectionError', async () => {
      answer = ({ socket }) => socket.destroy();

      expect(await failureOf(connect(server.url).exchange(listPods), ConnectionError)).toBeInstanceOf(ConnectionError);
    });

    it('to connect is a ConnectionError that says why', async () => {
      const { url } = server;
      await server.close();

      const error = await failureOf(connect(url).exchange(listPods), ConnectionError);

      expect(error.causeCode).toBe('ECONNREFUSED');
      expect(error.message).toMatch(
        /^GET \/api\/v1\/pods\?limit=500: ECONNREFUSED: .*connect ECONNREFUSED 127\.0\.0\.1:\d+$/,
      );
    });

    it('of something that speaks no HTTP is a ConnectionError', async () => {
      answer = ({ socket }) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n');

      expect(await failureOf(connect(server.url).exchange(listPods), ConnectionError)).toBeInstanceOf(ConnectionError);
    });

    it('to read the credentials is a CredentialsError, and nothing is sent', async () => {
      const client = withToken(server.url, () => Promise.reject(new Error('token file is gone')));

      const error = await failureOf(client.exchange(listPods), CredentialsError);

      expect(error.message).toBe('GET /api/v1/pods?limit=500: cannot read the credentials: token file is gone');
      expect(server.accepted).toBe(0);
    });
  });
});
