import type { Subscription } from 'rxjs';
import { type KubeClient, type ResponsePart, StatusError } from 'rx-informers';
import { clients } from './conformance.js';
import { answerOf, failureOf, listPods } from './exchanges.js';
import { json, startServer, type Answer, type TestServer } from './test-server.js';
import { until } from '../../support/until.js';

/** A promise, and the way to keep it. */
function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((keep) => (resolve = keep));
  return { promise, resolve };
}

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

  /** Whether the connection of the last request is closed; undici opens a spare one for it, and closes that in its own time. */
  const isClosed = (): boolean => server.requests.at(-1)?.socket.destroyed ?? false;

  describe('G8: unsubscribing', () => {
    let notifications: unknown[];
    let subscription: Subscription;

    function subscribe(client: KubeClient): void {
      notifications = [];
      subscription = client.exchange(listPods).subscribe({
        next: (part) => notifications.push(part),
        error: (error: unknown) => notifications.push(error),
        complete: () => notifications.push('complete'),
      });
    }

    it('while the credentials are read sends nothing', async () => {
      const token = deferred<string>();
      const asked = deferred<'asked'>();
      subscribe(
        withToken(server.url, () => {
          asked.resolve('asked');
          return token.promise;
        }),
      );
      await asked.promise;

      subscription.unsubscribe();
      token.resolve('late');
      await answerOf(connect(server.url).exchange(listPods));

      expect(server.requests.length).toBe(1);
      expect(notifications).toEqual([]);
    });

    it('while the credentials are read hides that they cannot be', async () => {
      let reject: (error: Error) => void = () => undefined;
      const asked = deferred<'asked'>();
      subscribe(
        withToken(server.url, () => {
          asked.resolve('asked');
          return new Promise((_, fail) => (reject = fail));
        }),
      );
      await asked.promise;

      subscription.unsubscribe();
      reject(new Error('nobody wants to know'));
      await answerOf(connect(server.url).exchange(listPods));

      expect(notifications).toEqual([]);
    });

    it('at once leaves no request behind', async () => {
      subscribe(connect(server.url));
      subscription.unsubscribe();
      await answerOf(connect(server.url).exchange(listPods));

      expect(server.requests.length).toBe(1);
      expect(notifications).toEqual([]);
    });

    it('while the headers are awaited closes the connection', async () => {
      answer = () => undefined;
      subscribe(connect(server.url));
      await until(() => server.requests.length === 1);

      subscription.unsubscribe();

      await until(isClosed);
      expect(notifications).toEqual([]);
    });

    it('in the middle of the body closes the connection', async () => {
      answer = (_, response) => void response.write('{"type":"ADDED"}\n');
      subscribe(connect(server.url));
      await until(() => notifications.length === 2);

      subscription.unsubscribe();

      await until(isClosed);
      expect(notifications.length).toBe(2);
    });

    it('from within the callback of the head: no bytes are emitted any more', async () => {
      answer = (_, response) => void response.write('{"type":"ADDED"}\n');
      const parts: ResponsePart[] = [];
      const running = connect(server.url)
        .exchange(listPods)
        .subscribe((part) => {
          parts.push(part);
          running.unsubscribe();
        });

      await until(isClosed);
      expect(parts.map(({ type }) => type)).toEqual(['head']);
    });

    it('while the body of a failure is read closes the connection', async () => {
      answer = (_, response) => void response.writeHead(500).write('and so on');
      subscribe(connect(server.url));
      await until(() => server.requests.length === 1);

      subscription.unsubscribe();

      await until(isClosed);
      expect(notifications).toEqual([]);
    });
  });

  it('closes the connection on which a failure does not end', async () => {
    answer = (_, response) => {
      response.writeHead(500);
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65536)));
      };
      response.on('drain', pour);
      pour();
    };

    const error = await failureOf(connect(server.url).exchange(listPods), StatusError);

    expect(error.status.message).toBe('x'.repeat(1000));
    await until(isClosed);
  });
});
