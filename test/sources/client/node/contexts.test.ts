import { KubeConfig } from '@kubernetes/client-node';
import { appendFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { contexts$, kubeCredentials, type ContextsOptions, type KubeContexts } from 'rx-informers/node';
import { virtualClock } from 'rx-informers/testing';
import { errorWith } from '../../../support/error-with.js';
import { folderWith, removeFolders } from '../../../support/folder.js';

interface Entry {
  readonly server?: string;
  readonly namespace?: string;
}

/** Returns a kubeconfig with one cluster, user and context of each name. */
function kubeConfigOf(entries: Readonly<Record<string, Entry>>, current?: string): string {
  const each = (map: (name: string, entry: Entry) => object) =>
    Object.entries(entries).map(([name, entry]) => map(name, entry));
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: each((name, { server }) => ({ name, cluster: { server: server ?? `https://${name}.test:6443` } })),
    users: each((name) => ({ name, user: { token: `token-${name}` } })),
    contexts: each((name, { namespace }) => ({ name, context: { cluster: name, user: name, namespace } })),
    'current-context': current ?? Object.keys(entries)[0],
  });
}

describe('contexts$', () => {
  const saved = process.env['KUBECONFIG'];
  afterEach(() => {
    process.env['KUBECONFIG'] = saved;
    if (saved === undefined) delete process.env['KUBECONFIG'];
    removeFolders();
  });

  /** Follows a file, or the files of KUBECONFIG. */
  function follow(options: ContextsOptions) {
    const clock = virtualClock();
    const values: KubeContexts[] = [];
    const subscription = contexts$(KubeConfig, { scheduler: clock, ...options }).subscribe((value) =>
      values.push(value),
    );
    clock.advance(1);
    /** Two reads later, returns the new values as words. */
    const news = (): readonly string[] => {
      const from = values.length;
      clock.advance(2_000);
      return values.slice(from).map(word);
    };
    return { clock, values, news, subscription };
  }

  const word = ({ contexts, error }: KubeContexts): string =>
    [contexts.map(({ name }) => name).join(' '), ...(error ? [error.code] : [])].join(' ');

  function fileWith(text: string): string {
    return join(folderWith({ config: text }), 'config');
  }

  it('emits the contexts of a file at once, each with a kubeconfig for its client', async () => {
    const file = fileWith(kubeConfigOf({ eu: { namespace: 'shop' }, us: {} }, 'us'));
    const { values, subscription } = follow({ file });
    expect(values).toHaveLength(1);
    const [{ contexts, current, error }] = values as [KubeContexts];
    expect([current, error]).toEqual(['us', undefined]);
    expect(contexts.map(({ name, cluster, namespace }) => [name, cluster, namespace])).toEqual([
      ['eu', 'eu', 'shop'],
      ['us', 'us', undefined],
    ]);
    const credentials = await Promise.all(contexts.map(({ kubeConfig }) => kubeCredentials(kubeConfig)()));
    expect(credentials.map(({ server, options }) => [server, options.headers.authorization])).toEqual([
      ['https://eu.test:6443', 'Bearer token-eu'],
      ['https://us.test:6443', 'Bearer token-us'],
    ]);
    subscription.unsubscribe();
  });

  it('emits again when the file is edited, and an unchanged context stays the same object', () => {
    const file = fileWith(kubeConfigOf({ eu: {}, us: {} }));
    const { values, news, subscription } = follow({ file });
    writeFileSync(file, kubeConfigOf({ eu: {}, us: { server: 'https://other.test' }, ap: {} }));
    expect(news()).toEqual(['eu us ap']);
    const [before, after] = values as [KubeContexts, KubeContexts];
    expect(after.contexts[0]).toBe(before.contexts[0]);
    expect(after.contexts[1]).not.toBe(before.contexts[1]);
    expect(news()).toEqual([]);
    subscription.unsubscribe();
  });

  it('emits again when another file replaces the file, or a link leads to another file', () => {
    const file = fileWith(kubeConfigOf({ eu: {} }));
    const { news, subscription } = follow({ file });
    writeFileSync(`${file}.new`, kubeConfigOf({ us: {} }));
    renameSync(`${file}.new`, file);
    expect(news()).toEqual(['us']);
    const other = fileWith(kubeConfigOf({ ap: {} }));
    unlinkSync(file);
    symlinkSync(other, file);
    expect(news()).toEqual(['ap']);
    writeFileSync(other, kubeConfigOf({ eu: {} }));
    expect(news()).toEqual(['eu']);
    subscription.unsubscribe();
  });

  it('keeps the last contexts of a deleted file, and reports that once, until it is written again', () => {
    const file = fileWith(kubeConfigOf({ eu: {} }));
    const { values, news, subscription } = follow({ file });
    rmSync(file);
    expect(news()).toEqual(['eu RXI_KUBECONFIG']);
    expect(values.at(-1)?.error).toEqual(errorWith('RXI_KUBECONFIG', { file }));
    expect(news()).toEqual([]);
    writeFileSync(file, kubeConfigOf({ eu: {}, us: {} }));
    expect(news()).toEqual(['eu us']);
    expect(values.at(-1)?.contexts[0]).toBe(values[0]?.contexts[0]);
    subscription.unsubscribe();
  });

  it('keeps the last contexts while the file is half written, and reports that once', () => {
    const text = kubeConfigOf({ eu: {}, us: {} });
    const file = fileWith(text);
    const { values, news, subscription } = follow({ file });
    const said: string[] = [];
    for (const length of [0, 20, 100, 200]) {
      writeFileSync(file, text.slice(0, length));
      said.push(...news());
    }
    expect(said).toEqual(['eu us RXI_KUBECONFIG']);
    appendFileSync(file, text.slice(200));
    expect(news()).toEqual(['eu us']);
    expect(values.at(-1)?.contexts[0]).toBe(values[0]?.contexts[0]);
    subscription.unsubscribe();
  });

  it('does not use a text that changes from one read to the next one', () => {
    const file = fileWith(kubeConfigOf({ eu: {} }));
    const { clock, values, subscription } = follow({ file });
    for (const name of ['a', 'b', 'c']) {
      writeFileSync(file, kubeConfigOf({ [name]: {} }));
      clock.advance(1_000);
    }
    expect(values).toHaveLength(1);
    clock.advance(1_000);
    expect(values.map(word)).toEqual(['eu', 'c']);
    subscription.unsubscribe();
  });

  it('merges the files of KUBECONFIG as kubectl does: the first entry of a name counts, a missing file is empty', () => {
    const one = fileWith(kubeConfigOf({ eu: { server: 'https://first.test' } }));
    const two = fileWith(kubeConfigOf({ eu: { server: 'https://second.test' }, us: {} }, 'us'));
    const missing = join(folderWith({}), 'later');
    process.env['KUBECONFIG'] = [missing, one, '', two].join(delimiter);
    const { values, news, subscription } = follow({});
    const [{ contexts, current }] = values as [KubeContexts];
    expect([word(values[0] as KubeContexts), current]).toEqual(['eu us', 'eu']);
    expect(contexts[0]?.kubeConfig.getCurrentCluster()?.server).toBe('https://first.test');
    writeFileSync(missing, kubeConfigOf({ ap: {} }));
    expect(news()).toEqual(['ap eu us']);
    subscription.unsubscribe();
  });

  it('reads nothing after the subscriber has left, and refuses an invalid interval', () => {
    const { clock, subscription } = follow({ file: fileWith(kubeConfigOf({ eu: {} })) });
    subscription.unsubscribe();
    expect(clock.timers).toBe(0);
    expect(() => contexts$(KubeConfig, { interval: -1 })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });
});
